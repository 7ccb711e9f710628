-- All triggers: what is missing is made, and what is disabled enabled. A replica's session fires row
-- triggers and not those for statements, everybody else the others; `A` fires always, `R` for
-- replicated rows, `O` for all others.
--
-- Triggers of one kind run in the order of their names. The mark comes last, so that no other trigger
-- overwrites it. What follows people in fields comes before the checks of the same statement and after
-- foreign keys. Transition tables and a list of columns exclude each other, hence the differing triggers of
-- the tree.

-- A trigger that is made here is no sign of anything that was written past it.
select set_config('staffbook.former_layout', staffbook.layout(), true);

do $block$
declare
  one record;
begin
  for one in
    with records(relation, kind, key_changed, arguments) as (values
      ('departments', 'department', 'old.id is distinct from new.id', '''department'', ''id'', '''''),
      ('users', 'user', 'old.id is distinct from new.id', '''user'', ''id'', '''''),
      ('memberships', 'membership',
        '(old.user_id, old.department_id) is distinct from (new.user_id, new.department_id)',
        '''membership'', ''user_id'', ''department_id'''),
      ('fields', 'field', 'old.name is distinct from new.name', '''field'', ''of'', ''name''')
    ), wanted(relation, name, state, definition) as (
      -- History and the ledger, of all records.
      select r.relation, t.name, t.state, t.definition
        from records r cross join lateral (values
          ('record_inserted', 'O', 'after insert on %s referencing new table as new_rows
            for each statement execute function staffbook.record_changes(' || r.arguments || ')'),
          ('record_updated', 'O', 'after update on %s referencing old table as old_rows
            new table as new_rows
            for each statement execute function staffbook.record_changes(' || r.arguments || ')'),
          ('record_deleted', 'O', 'after delete on %s referencing old table as old_rows
            for each statement execute function staffbook.record_changes(' || r.arguments || ')'),
          ('record_replicated', 'R', 'after insert or update or delete on %s
            for each row execute function staffbook.record_replicated(' || r.arguments || ')'),
          ('record_truncated', 'A', 'before truncate on %s
            for each statement execute function staffbook.record_truncation(' || r.arguments || ')'),
          ('enter_in_ledger', 'A', 'after insert or update or delete on %s
            for each statement execute function staffbook.enter_in_ledger()'),
          ('enter_replicated_in_ledger', 'R', 'after insert or update or delete on %s
            for each row execute function staffbook.enter_in_ledger()')
        ) t(name, state, definition)
      union all
      -- Marks and tombstones.
      select r.relation, t.name, 'A', t.definition
        from records r cross join lateral (values
          ('zzz_mark_change', 'before insert or update on %s
            for each row execute function staffbook.mark_change()'),
          ('bury_deleted', 'after delete on %s
            for each row execute function staffbook.bury(''' || r.kind || ''')'),
          ('bury_renamed', 'after update on %s for each row when (' || r.key_changed || ')
            execute function staffbook.bury(''' || r.kind || ''')'),
          ('renew_epoch', 'after truncate on %s
            for each statement execute function staffbook.renew_epoch()')
        ) t(name, definition)
        where r.relation <> 'fields'
      union all
      -- Of departments and users: their fields, their identity, and what names them.
      select r.relation, t.name, 'A', t.definition
        from records r cross join lateral (values
          ('check_fields_after_insert', 'after insert on %s referencing new table as new_rows
            for each statement execute function staffbook.check_fields(''' || r.kind || ''')'),
          ('check_fields_after_update', 'after update on %s referencing new table as new_rows
            for each statement execute function staffbook.check_fields(''' || r.kind || ''')'),
          ('zzz_keep_identity', 'before update on %s
            for each row when (old.identity is distinct from new.identity)
            execute function staffbook.keep_identity(''' || r.kind || ''')'),
          ('bind_in_rules', 'after insert on %s referencing new table as new_rows
            for each statement execute function staffbook.bind_in_rules()'),
          ('bind_removed', 'after delete on %s referencing old table as old_rows
            for each statement execute function staffbook.bind_in_rules()'),
          ('follow_in_sources', 'after update on %s for each row when (' || r.key_changed || ')
            execute function staffbook.follow_in_sources()')
        ) t(name, definition)
        where r.relation in ('departments', 'users')
      union all
      select r.relation, 'follow_in_rules', 'A', 'after update on %s
          for each row when (' || r.key_changed || ') execute function staffbook.follow_in_rules()'
        from records r where r.relation <> 'memberships'
      union all values
        ('departments', 'lock_tree', 'A', 'before insert or update of id, parent_id on %s
          for each statement execute function staffbook.lock_tree()'),
        ('departments', 'check_tree_after_insert', 'A',
          'after insert on %s referencing new table as new_rows
          for each statement execute function staffbook.check_tree()'),
        ('departments', 'check_tree_after_update', 'A',
          'after update on %s referencing old table as old_rows new table as new_rows
          for each statement execute function staffbook.check_tree()'),
        ('users', 'a_forget_people', 'A', 'after delete on %s referencing old table as old_rows
          for each statement execute function staffbook.follow_people()'),
        ('users', 'a_follow_renamed', 'A', 'after update on %s
          referencing old table as old_rows new table as new_rows
          for each statement execute function staffbook.follow_people()'),
        ('fields', 'drop_values', 'A', 'after delete on %s
          for each row execute function staffbook.guard_field()'),
        ('fields', 'keep_values', 'A', 'after update on %s
          for each row when ((old.of, old.name, old.kind, old.is_multiple)
            is distinct from (new.of, new.name, new.kind, new.is_multiple))
          execute function staffbook.guard_field()'),
        ('fields', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.guard_field()'),
        ('fields', 'a_await_values', 'O', 'before update or delete on %s
          for each statement execute function staffbook.follow_declarations()'),
        ('fields', 'z_index_people', 'O', 'after insert or update or delete on %s
          for each statement execute function staffbook.follow_declarations()'),
        ('fields', 'bind_in_rules', 'A', 'after insert or update of kind on %s
          for each row execute function staffbook.follow_in_rules()'),
        ('visibility_rules', 'bind_identity', 'A', 'before insert or update on %s
          for each row execute function staffbook.bind_rule()'),
        ('visibility_groups', 'bind_identity', 'A', 'before insert or update on %s
          for each row execute function staffbook.bind_rule()'),
        ('visibility_rules', 'record_rule', 'A', 'after insert or update or delete on %s
          for each row execute function staffbook.record_rule()'),
        ('visibility_groups', 'record_rule', 'A', 'after insert or update or delete on %s
          for each row execute function staffbook.record_rule()'),
        ('visibility_rules', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.record_rule()'),
        ('visibility_groups', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.record_rule()'),
        ('transactions', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.keep_changes()'),
        ('changes', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.keep_changes()'),
        ('transactions', 'settle_transaction', 'A', 'after insert or update on %s
          deferrable initially deferred for each row when (new.at is null)
          execute function staffbook.settle_transaction()'),
        ('changes', 'follow_in_sources', 'A', 'after update on %s for each row
          when (new.is_forgotten and not old.is_forgotten and old.kind = ''user'')
          execute function staffbook.follow_in_sources()'),
        ('source_records', 'bind_identity', 'A', 'before insert or update on %s
          for each row when (new.identity is null) execute function staffbook.follow_in_sources()'),
        ('users', 'follow_in_tokens', 'A', 'after update on %s
          for each row when (old.id is distinct from new.id)
          execute function staffbook.follow_in_tokens()'),
        ('users', 'end_tokens', 'A', 'after delete on %s
          for each row execute function staffbook.follow_in_tokens()'),
        ('users', 'end_all_tokens', 'A', 'after truncate on %s
          for each statement execute function staffbook.follow_in_tokens()'),
        ('tokens', 'check_holder', 'A', 'before insert or update of user_id, identity on %s
          for each row when (new.user_id is not null)
          execute function staffbook.follow_in_tokens()'),
        ('accepted_deletions', 'check_acceptance', 'A', 'after insert on %s
          deferrable initially deferred for each row
          execute function staffbook.check_acceptance()'),
        ('ledger', 'give_notice', 'A', 'after insert or update on %s
          deferrable initially deferred for each row execute function staffbook.give_notice()'),
        ('epoch', 'give_notice', 'A', 'after update on %s
          deferrable initially deferred for each row when (old.epoch <> new.epoch)
          execute function staffbook.give_notice()'),
        ('tombstones', 'renew_epoch', 'A', 'after truncate on %s
          for each statement execute function staffbook.renew_epoch()'),
        ('ledger', 'renew_epoch', 'A', 'after truncate on %s
          for each statement execute function staffbook.renew_epoch()'),
        ('tombstones', 'renew_epoch_by_hand', 'A', 'after update or delete on %s
          for each statement execute function staffbook.renew_epoch()'),
        ('ledger', 'renew_epoch_by_hand', 'A', 'after delete on %s
          for each statement execute function staffbook.renew_epoch()'),
        ('ledger', 'renew_epoch_by_update', 'A', 'after update on %s
          for each row when (old.changed_in <> pg_catalog.pg_current_xact_id())
          execute function staffbook.renew_epoch()'),
        ('epoch', 'renew_epoch_by_hand', 'A', 'after update on %s
          for each row when (old.epoch = new.epoch)
          execute function staffbook.renew_epoch()')
    )
    select w.*, coalesce(p.tgenabled, 'O') as present, p.oid is null as is_missing
      from wanted w left join pg_catalog.pg_trigger p on p.tgname = w.name
        and p.tgrelid = ('staffbook.' || w.relation)::regclass
      where p.tgenabled is distinct from w.state::"char"
      order by w.relation, w.name
  loop
    if one.is_missing then
      execute format('create %s trigger %I ',
        case when one.definition like '%deferrable%' then 'constraint' else '' end, one.name)
        || format(one.definition, 'staffbook.' || one.relation);
    end if;
    if one.present <> one.state::"char" then
      execute format('alter table staffbook.%I enable %s trigger %I', one.relation,
        case one.state when 'A' then 'always' when 'R' then 'replica' else '' end, one.name);
    end if;
  end loop;
end
$block$;

select staffbook.index_people();

-- Nothing was written yet where nobody has looked whether history agrees with the tables.
update staffbook.history h set layout = staffbook.layout()
  where h.layout in (current_setting('staffbook.former_layout'), '') and h.layout <> staffbook.layout();
