import DirectoryStore

/// What psql runs before and after the script of an archive: both are in one transaction with it.
enum RestoreScript {
  /// Removes the schema, unless something outside it would go, too.
  ///
  /// What depends on the schema's tables is found as PostgreSQL's manual has it: pg_depend for the rules
  /// of views, pg_constraint for foreign keys, pg_publication_rel for publications.
  ///
  /// A script that ends the transaction is refused: what fires at every commit lets only that one pass
  /// which comes with the key, and behind a rollback the end misses it.
  static func beginning(key: String) -> String {
    """
    begin;
    set local client_min_messages = warning;
    set local search_path = pg_catalog, pg_temp;
    create temporary table staffbook_restoration () on commit drop;
    create or replace function pg_temp.staffbook_restoration() returns trigger language plpgsql
      set search_path = pg_catalog, pg_temp as $function$
    begin
      if current_setting('staffbook.restoration', true) is distinct from '\(key)' then
        raise '\(ending)';
      end if;
      return null;
    end
    $function$;
    create constraint trigger staffbook_restoration after insert on staffbook_restoration
      deferrable initially deferred
      for each row execute function pg_temp.staffbook_restoration();
    insert into staffbook_restoration default values;
    set local lock_timeout = '30s';
    do $block$
    declare
      outsiders text;
    begin
      select string_agg(o.name, ', ' order by o.name) into outsiders from (
        select distinct 'the view ' || v.oid::regclass
          from pg_depend d
            join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
            join pg_class v on v.oid = r.ev_class
            join pg_class t on d.refclassid = 'pg_class'::regclass and t.oid = d.refobjid
          where t.relnamespace = to_regnamespace('staffbook')
            and v.relnamespace <> t.relnamespace
        union
        select 'a foreign key of ' || k.conrelid::regclass
          from pg_constraint k
            join pg_class t on t.oid = k.confrelid join pg_class f on f.oid = k.conrelid
          where k.contype = 'f' and t.relnamespace = to_regnamespace('staffbook')
            and f.relnamespace <> t.relnamespace
        union
        select 'the publication ' || p.pubname
          from pg_publication_rel r
            join pg_publication p on p.oid = r.prpubid join pg_class t on t.oid = r.prrelid
          where t.relnamespace = to_regnamespace('staffbook')
      ) as o(name);
      if outsiders is not null then
        raise '% would be dropped with the tables; drop it first, and create it again afterwards',
          outsiders;
      end if;
    end
    $block$;
    -- The backup grants them rights.
    do $block$
    declare
      role name;
    begin
      foreach role in array
        '{staffbook_reader,staffbook_editor,staffbook_historian,staffbook_admin,staffbook_server}'::name[]
      loop
        continue when exists (select from pg_roles r where r.rolname = role);
        begin
          execute format('create role %I nologin', role);
        exception
          when duplicate_object or unique_violation or insufficient_privilege then null;
        end;
      end loop;
    end
    $block$;
    drop schema if exists staffbook cascade;

    """
  }

  /// What is said of a script that ends the transaction.
  static let ending = "its script ends the transaction in which it is restored"

  /// Commits, wakes whoever waits for changes, and lets other readers' brakes pass what is removed with the replaced
  /// directory.
  ///
  /// - Parameters:
  ///   - present: What was replaced; schemas of version 5 and later record accepted deletions.
  ///   - tokens: What becomes of the tokens that were restored; `nil` where there are none.
  ///   - key: That of the beginning.
  /// - Returns: The script.
  static func end(accepting present: TableRows, _ tokens: RestoredTokens?, key: String) -> String {
    """

    set local search_path = pg_catalog, pg_temp;
    set local staffbook.restoration = '\(key)';
    do $block$
    begin
      if to_regclass('pg_temp.staffbook_restoration') is null then
        raise '\(ending)';
      end if;
      if to_regclass('staffbook.accepted_deletions') is not null then
        insert into staffbook.accepted_deletions (departments, users, memberships)
          values (\(present.departments), \(present.users), \(present.memberships));
      end if;
    end
    $block$;
    \(tokens == .discarded ? "delete from staffbook.tokens;" : "")
    -- The triggers that would tell it are restored behind the rows.
    notify staffbook;
    commit;

    """
  }
}
