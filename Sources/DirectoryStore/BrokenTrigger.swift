/// A trigger of the schema's that is missing, or not enabled as it must be.
package struct BrokenTrigger: Hashable, Sendable {
  /// As `table.trigger`.
  package var name: String
  /// What its owner has to run; `nil` where it is missing.
  package var remedy: String?

  /// Yields `name` and `remedy` of each of those that track changes, as the migrations make them.
  static let query = query(of: tracking)

  /// Yields `name` and `remedy` of each of those that keep history.
  static let historyQuery = query(of: history)

  /// Yields `name` and `remedy` of each of those that refuse what must not be, beside the tracking.
  static let guardQuery = query(of: guarding)

  /// Yields `name` and `remedy` of each of those that notify processes that wait for changes.
  static let noticeQuery = query(of: notices)

  /// `tgenabled` is as the manual, "pg_trigger", has it: `A` fires always, `R` for replicated rows
  /// and `O` for all others.
  private static func query(of triggers: String) -> String {
    """
    select t.relation || '.' || t.trigger as name,
        case when p.oid is not null then format('alter table staffbook.%I enable%s trigger %I',
          t.relation, case t.state when 'A' then ' always' when 'R' then ' replica' else '' end,
          t.trigger) || ';' end as remedy
      from (\(triggers)) t(relation, trigger, state)
      left join pg_trigger p on p.tgname = t.trigger
        and p.tgrelid = to_regclass('staffbook.' || t.relation)
      where p.tgenabled is distinct from t.state::"char"
    """
  }

  private static let history = """
    select r.relation, g.trigger, g.state
      from (values ('departments'), ('users'), ('memberships'), ('fields')) r(relation),
        (values ('record_inserted', 'O'), ('record_updated', 'O'), ('record_deleted', 'O'),
          ('record_replicated', 'R'), ('record_truncated', 'A')) g(trigger, state)
    union all values ('visibility_rules', 'record_rule', 'A'),
      ('visibility_groups', 'record_rule', 'A'), ('visibility_rules', 'refuse_truncate', 'A'),
      ('visibility_groups', 'refuse_truncate', 'A'),
      ('transactions', 'settle_transaction', 'A'),
      ('transactions', 'refuse_truncate', 'A'), ('changes', 'refuse_truncate', 'A')
    """

  private static let notices =
    "values ('ledger', 'give_notice', 'A'), ('epoch', 'give_notice', 'A')"

  private static let guarding = """
    values ('fields', 'a_await_values', 'O'), ('fields', 'z_index_people', 'O'),
      ('accepted_deletions', 'check_acceptance', 'A'),
      ('departments', 'zzz_keep_identity', 'A'), ('users', 'zzz_keep_identity', 'A'),
      ('departments', 'bind_in_rules', 'A'), ('users', 'bind_in_rules', 'A'),
      ('departments', 'bind_removed', 'A'), ('users', 'bind_removed', 'A'),
      ('fields', 'bind_in_rules', 'A'), ('visibility_rules', 'bind_identity', 'A'),
      ('visibility_groups', 'bind_identity', 'A'), ('source_records', 'bind_identity', 'A'),
      ('departments', 'follow_in_rules', 'A'), ('users', 'follow_in_rules', 'A'),
      ('fields', 'follow_in_rules', 'A'),
      ('departments', 'follow_in_sources', 'A'), ('users', 'follow_in_sources', 'A'),
      ('changes', 'follow_in_sources', 'A'),
      ('users', 'follow_in_tokens', 'A'), ('users', 'end_tokens', 'A'),
      ('users', 'end_all_tokens', 'A'), ('tokens', 'check_holder', 'A')
    """

  private static let tracking = """
    select r.relation, g.trigger, g.state
      from (values ('departments'), ('users'), ('memberships')) r(relation),
        (values ('zzz_mark_change', 'A'), ('bury_deleted', 'A'), ('bury_renamed', 'A'),
          ('enter_in_ledger', 'A'), ('enter_replicated_in_ledger', 'R'),
          ('renew_epoch', 'A')) g(trigger, state)
    union all values ('tombstones', 'renew_epoch', 'A'), ('ledger', 'renew_epoch', 'A'),
      ('tombstones', 'renew_epoch_by_hand', 'A'), ('ledger', 'renew_epoch_by_hand', 'A'),
      ('ledger', 'renew_epoch_by_update', 'A'), ('epoch', 'renew_epoch_by_hand', 'A'),
      ('departments', 'lock_tree', 'A'), ('departments', 'check_tree_after_insert', 'A'),
      ('departments', 'check_tree_after_update', 'A'),
      ('departments', 'check_fields_after_insert', 'A'),
      ('departments', 'check_fields_after_update', 'A'),
      ('users', 'check_fields_after_insert', 'A'),
      ('users', 'check_fields_after_update', 'A'),
      ('users', 'a_forget_people', 'A'), ('users', 'a_follow_renamed', 'A'),
      ('fields', 'drop_values', 'A'), ('fields', 'keep_values', 'A'),
      ('fields', 'refuse_truncate', 'A'), ('fields', 'enter_in_ledger', 'A'),
      ('fields', 'enter_replicated_in_ledger', 'R')
    """
}
