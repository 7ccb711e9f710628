-- Who may do what. A trigger function that runs with its owner's rights can be hung on a table of the
-- caller's own, with types and casts of the caller's own, by everybody who may execute it: a reader
-- forged history so, and ran code as the owner of the schema. Nothing in the schema is executable by
-- PUBLIC from here on, and each of these functions refuses any table but those that it was made for,
-- before it looks at a row.
--
-- History shows what row-level security hides, since policies are about the rows of today. Where such
-- policies stand, it is read by members of the role staffbook_historian only.
--
-- This script may be run again, and so does "db migrate --repair": it makes what is missing of triggers,
-- indexes and grants, and leaves alone what is there.

set local client_min_messages = warning;

alter table staffbook.migrations
  add column if not exists min_reader int,
  add column if not exists min_writer int,
  add column if not exists reason text;

comment on column staffbook.migrations.min_reader is
  'Programs that know this number of the schema or a later one may read; null where none is older';
comment on column staffbook.migrations.min_writer is
  'Programs that know this number of the schema or a later one may write; null where none is older';
comment on column staffbook.migrations.reason is 'Why older programs are still served, or not';

alter table staffbook.history add column if not exists last_given timestamptz;

comment on column staffbook.history.last_given is
  'The newest time that was given while the clock stood behind the newest transaction';

create or replace function staffbook.may_read_history(reader name default current_user)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $function$
  select not exists (
      select from pg_class c
        where c.relnamespace = 'staffbook'::regnamespace and c.relrowsecurity
          and c.relname in ('departments', 'users', 'memberships', 'fields'))
      and not exists (
        select from unnest('{departments,users,memberships,fields}'::name[]) t(name)
          where not has_table_privilege(reader, 'staffbook.' || t.name, 'select'))
    or exists (
      select from pg_roles r
        where r.rolname = 'staffbook_historian' and pg_has_role(reader, r.oid, 'usage')
          or r.rolname = reader and r.rolbypassrls)
    or pg_has_role(reader,
      (select c.relowner from pg_class c where c.oid = 'staffbook.changes'::regclass), 'usage')
$function$;

comment on function staffbook.may_read_history(name) is
  'Whether a role may read all records, or is a member of staffbook_historian';

alter table staffbook.transactions enable row level security;
alter table staffbook.changes enable row level security;
drop policy if exists history on staffbook.transactions;
drop policy if exists history on staffbook.changes;
create policy history on staffbook.transactions for select
  using ((select staffbook.may_read_history()));
create policy history on staffbook.changes for select
  using ((select staffbook.may_read_history()));

-- A policy lets no condition but its own use an index unless it is leakproof, which reading an object's
-- key is not: readers would search all changes for each department.
alter table staffbook.changes add column if not exists former_parent text collate "C"
  generated always as (case when kind = 'department' then before ->> 'parent_id' end) stored;

comment on column staffbook.changes.former_parent is
  'Of a department, the one above it before';

drop index if exists staffbook.changes_parents;

-- A constraint is checked with the rights of whoever writes, who may execute nothing here: the condition of
-- is_visible() stands in the constraints themselves.
do $block$
declare
  one record;
  visible constant text := (select substring(p.prosrc from 'value operator.*$')
    from pg_catalog.pg_proc p where p.oid = 'staffbook.is_visible(text)'::regprocedure);
begin
  for one in
    select c.conname, c.conrelid::regclass as relation, a.attname
      from pg_catalog.pg_constraint c join pg_catalog.pg_attribute a
        on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'c' and c.connamespace = 'staffbook'::regnamespace
        and pg_catalog.pg_get_constraintdef(c.oid) like '%staffbook.is_visible(%'
  loop
    execute format('alter table %s drop constraint %I, add constraint %2$I check (%s)',
      one.relation, one.conname, replace(visible, 'value operator', quote_ident(one.attname) || ' operator'));
  end loop;
end
$block$;

-- Triggers ------------------------------------------------------------------------------------------

create or replace function staffbook.lock_tree() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid <> 'staffbook.departments'::regclass then
    raise insufficient_privilege using message = 'lock_tree() belongs to staffbook.departments';
  end if;
  update staffbook.tree_lock set by_xact = pg_current_xact_id()
    where by_xact <> pg_current_xact_id();
  if not found and not exists (select from staffbook.tree_lock) then
    raise exception 'the row of staffbook.tree_lock is missing'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook',
        table = 'tree_lock',
        hint = 'run: insert into staffbook.tree_lock (by_xact) values (''0'')';
  end if;
  return null;
end
$function$;

-- Ids of departments that a policy hides are not named.
create or replace function staffbook.refuse_ring(start text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  ring constant text[] := staffbook.ring_above(start);
  shown constant text[] := case
    when cardinality(ring) <= 20 then ring || ring[1]
    else ring[:20] || '…'::text || ring[1] end;
begin
  if (select c.relrowsecurity from pg_class c where c.oid = 'staffbook.departments'::regclass) then
    raise exception 'a department would be below itself'
      using errcode = 'SB001', schema = 'staffbook', table = 'departments',
        constraint = 'departments_no_ring', column = 'parent_id';
  end if;
  raise exception 'department "%" would be below itself', ring[1]
    using errcode = 'SB001', schema = 'staffbook', table = 'departments',
      constraint = 'departments_no_ring', column = 'parent_id',
      detail = array_to_string(shown, ' → ')
        || case when cardinality(ring) > 20
             then ' (a ring of ' || cardinality(ring) || ')' else '' end;
end
$function$;

create or replace function staffbook.check_tree() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_indexscan = on set enable_nestloop = on set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $function$
declare
  few constant int := 1000;
  walk_limit constant int := 100000;
  changed text[];
  walked bigint;
  start text;
begin
  if tg_relid <> 'staffbook.departments'::regclass then
    raise insufficient_privilege using message = 'check_tree() belongs to staffbook.departments';
  end if;
  if tg_op = 'INSERT' then
    select array_agg(c.id) into changed from (
      select n.id from new_rows n where n.parent_id is not null limit few + 1) c;
  else
    select array_agg(c.id) into changed from (
      select n.id, n.parent_id from new_rows n where n.parent_id is not null
      except
      select o.id, o.parent_id from old_rows o
      limit few + 1) c;
  end if;
  if changed is null then return null; end if;

  -- A trigger of somebody else's may have moved rows in a statement that does not name parent_id
  -- and so did not take the lock. Taken before this check, it holds just as well.
  update staffbook.tree_lock set by_xact = pg_current_xact_id()
    where by_xact <> pg_current_xact_id();

  if cardinality(changed) <= few then
    with recursive walk(start, id) as (
      select c.id collate "C", up.parent_id
        from unnest(changed) c(id) cross join lateral (
          select d.parent_id from staffbook.departments d
            where d.id = c.id and d.parent_id is not null offset 0) up
      union
      select walk.start, up.parent_id
        from walk cross join lateral (
          select d.parent_id from staffbook.departments d
            where d.id = walk.id and d.parent_id is not null offset 0) up
    )
    select count(*), min(w.start) filter (where w.id = w.start) into walked, start
      from (select * from walk limit walk_limit + 1) w;
    if start is null and walked <= walk_limit then return null; end if;
  else
    with recursive reached(id) as (
      select d.id from staffbook.departments d where d.parent_id is null
      union all
      select down.id
        from reached cross join lateral (
          select d.id from staffbook.departments d where d.parent_id = reached.id offset 0) down
    )
    select (select count(*) from staffbook.departments) - (select count(*) from reached)
      into walked;
    if walked = 0 then return null; end if;
  end if;

  -- Rows whose parent is missing, which only a restore or a replica without foreign keys leaves
  -- for a while, count as roots.
  if start is null then
    with recursive reached(id) as (
      select d.id from staffbook.departments d
        where d.parent_id is null or not exists (
          select from staffbook.departments p where p.id = d.parent_id offset 0)
      union all
      select down.id
        from reached cross join lateral (
          select d.id from staffbook.departments d where d.parent_id = reached.id offset 0) down
    )
    select min(u.id) into start
      from (select d.id from staffbook.departments d except select r.id from reached r) u;
    if start is null then return null; end if;
  end if;
  perform staffbook.refuse_ring(start);
  return null;
end
$function$;

-- It is called where a transaction ends, also inside a function that runs with its owner's rights: a type
-- that a writer's search_path finds must not become part of it.
create or replace function staffbook.give_notice() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
declare
  bell constant int := 1650814060;  -- 'bell' in ASCII
  place constant int := pg_backend_pid() & 15;
  nobody_waits constant boolean := case when pg_try_advisory_lock(bell, place)
    then pg_advisory_unlock(bell, place) else false end;
  statement constant text := current_query();
begin
  if nobody_waits then return null; end if;
  -- A transaction that notified cannot be prepared, and this may run because it is about to be: of the
  -- statement under way, only its text is known. Where there is none, the session is at the end of a
  -- sequence of messages, which prepares nothing, or applies what another server replicates.
  if current_setting('max_prepared_transactions') = '0'
    or statement <> '' and statement !~* 'prepare.*transaction'
    or coalesce(statement, '') = '' and current_setting('session_replication_role') <> 'replica'
  then
    perform pg_notify('staffbook', '');
  end if;
  return null;
end
$function$;

-- Dollar quotes, since the body is read again by every session, also by one with
-- standard_conforming_strings off.
create or replace function staffbook.is_of_kind(value text, kind text) returns boolean
language sql immutable parallel safe
as $function$
  select case kind
    when 'phone' then value collate "C" ~ $re$[0-9٠-٩۰-۹０-９]$re$
    when 'email' then value collate "C" ~ $re$^\S+@\S+$$re$
    when 'url' then value collate "C" ~ $re$^[A-Za-z][A-Za-z0-9+.-]*:\S+$$re$
    when 'date' then value collate "C" ~
        $re$^(\d{4}|-)-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|[12]\d))$$re$
      and (value collate "C" !~ $re$^\d{4}-02-29$$re$
        or substr(value, 1, 4)::int % 4 = 0
          and (substr(value, 1, 4)::int % 100 <> 0 or substr(value, 1, 4)::int % 400 = 0))
    else true end
$function$;

create or replace function staffbook.bury() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid = 'staffbook.memberships'::regclass then
    insert into staffbook.tombstones (kind, key1, key2, changed_in)
      values ('membership', old.user_id, old.department_id, pg_current_xact_id());
  elsif tg_relid = 'staffbook.users'::regclass then
    insert into staffbook.tombstones (kind, key1, changed_in)
      values ('user', old.id, pg_current_xact_id());
  elsif tg_relid = 'staffbook.departments'::regclass then
    insert into staffbook.tombstones (kind, key1, changed_in)
      values ('department', old.id, pg_current_xact_id());
  else
    raise insufficient_privilege
      using message = 'bury() belongs to the tables of records of staffbook';
  end if;
  return null;
end
$function$;

create or replace function staffbook.enter_in_ledger() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.fields'::regclass)
  then
    raise insufficient_privilege
      using message = 'enter_in_ledger() belongs to the tables of records of staffbook';
  end if;
  insert into staffbook.ledger as l (changed_in) values (pg_current_xact_id())
    on conflict (changed_in) do update
      set token = excluded.token, at = excluded.at
      where l.at <> excluded.at;
  return null;
end
$function$;

-- What is written to the tracking tables by hand leaves no trace that a reader could find, tombstones
-- least of all: 3 of 70 syncs kept people who had been removed. Another epoch makes readers compare.
create or replace function staffbook.renew_epoch() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.tombstones'::regclass,
    'staffbook.ledger'::regclass, 'staffbook.epoch'::regclass)
  then
    raise insufficient_privilege
      using message = 'renew_epoch() belongs to the tables of records and tracking of staffbook';
  end if;
  if tg_op <> 'TRUNCATE' and current_setting('staffbook.pruning', true) = 'on' then
    return null;
  end if;
  update staffbook.epoch set epoch = gen_random_uuid();
  return null;
end
$function$;

comment on function staffbook.renew_epoch() is
  'Trigger: renews the epoch where a table is truncated, or the tracking changed by hand';

create or replace function staffbook.check_fields() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set plan_cache_mode = force_custom_plan
as $function$
declare
  subject text;
  wrong record;
begin
  subject := case tg_relid when 'staffbook.users'::regclass then 'user'
    when 'staffbook.departments'::regclass then 'department' end;
  if subject is null then
    raise insufficient_privilege
      using message = 'check_fields() belongs to staffbook.departments and staffbook.users';
  end if;
  if not exists (select from new_rows n where n.fields <> '{}') then return null; end if;
  -- Whoever removes a declaration waits for this transaction, or this one for it. Locks of rows would
  -- write each declaration anew with every value that is written; only transactions whose snapshot may
  -- be too old to see the removal need them.
  if current_setting('transaction_isolation') = 'read committed' then
    lock table staffbook.fields in row share mode;
  else
    perform from staffbook.fields f where f.of = subject for share;
  end if;
  select n.id, e.key, f.kind, f.is_multiple, e.value::text as value into wrong
    from new_rows n cross join lateral jsonb_each(n.fields) e
      left join staffbook.fields f on f.of = subject and f.name = e.key
    where n.fields <> '{}' and (f.name is null
      or (jsonb_typeof(e.value) = 'array') <> f.is_multiple
      or case when f.kind in ('text', 'person') then false
        when not f.is_multiple then not staffbook.is_of_kind(e.value #>> '{}', f.kind)
        else exists (select from staffbook.field_values(e.value) v
          where not staffbook.is_of_kind(v, f.kind)) end)
    order by n.id, e.key limit 1;
  if found then
    raise exception '%', case
        when wrong.kind is null then format('the field "%s" is not declared', wrong.key)
        when (left(wrong.value, 1) = '[') <> wrong.is_multiple then case
          when wrong.is_multiple then format('the field "%s" takes a list of values', wrong.key)
          else format('the field "%s" takes one value, not a list', wrong.key) end
        else format('the field "%s" takes values of the kind %s', wrong.key, wrong.kind) end
      using errcode = 'check_violation', schema = 'staffbook', table = tg_table_name,
        column = 'fields', constraint = tg_table_name || '_fields_declared',
        detail = format('%s "%s" has %s', subject, wrong.id, left(wrong.value, 200));
  end if;

  if not exists (select from staffbook.fields f where f.of = subject and f.kind = 'person') then
    return null;
  end if;
  perform from staffbook.users u
    where u.id in (
      select v from new_rows n
          join staffbook.fields f on f.of = subject and f.kind = 'person' and n.fields ? f.name
          cross join lateral staffbook.field_values(n.fields -> f.name) v)
    for key share;
  select n.id, f.name, v as value into wrong
    from new_rows n
      join staffbook.fields f on f.of = subject and f.kind = 'person' and n.fields ? f.name
      cross join lateral staffbook.field_values(n.fields -> f.name) v
    where not exists (select from staffbook.users u where u.id = v)
      -- Of people who name each other and get other ids at once, the fields have followed by now.
      and (subject <> 'user' or exists (select from staffbook.users t
        where t.id = n.id and t.fields -> f.name = n.fields -> f.name))
    order by n.id, f.name limit 1;
  if found then
    raise exception 'the field "%" names the unknown user "%"', wrong.name, wrong.value
      using errcode = 'foreign_key_violation', schema = 'staffbook', table = tg_table_name,
        column = 'fields', constraint = tg_table_name || '_fields_person',
        detail = format('%s "%s" has it', subject, wrong.id);
  end if;
  return null;
end
$function$;

-- People are found in fields by an index for each field of the kind person. An id is shorter than what is
-- indexed; a longer text, which only another kind of field has, must not keep a row from being written.
create or replace function staffbook.index_people() returns void
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $function$
declare
  index record;
begin
  for index in
    select coalesce(w.name, p.name) as name, w.definition
      from (
        select f.of || case when f.is_multiple then 's_people_' else 's_person_' end || case
              when length(f.name) <= 40 then f.name
              else left(f.name, 34) || '_' || left(md5(f.name), 8) end as name,
            format(case when f.is_multiple then '%I using gin ((fields -> %L)) where fields ? %2$L'
              else '%I (left(fields ->> %L, 300)) where fields ? %2$L' end, f.of || 's', f.name)
              as definition
          from staffbook.fields f where f.kind = 'person') w
        full join (
          select c.relname::text as name from pg_class c
            where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'i'
              and c.relname ~ '^(user|department)s_(person|people)_') p on p.name = w.name
      where w.name is null or p.name is null
  loop
    begin
      if index.definition is null then
        execute format('drop index staffbook.%I', index.name);
      else
        execute format('create index if not exists %I on staffbook.', index.name) || index.definition;
      end if;
    exception
      -- Without the index people are found all the same, only later, and one too many does no harm. A
      -- transaction that has written people may not index them, nor may who does not own them; and a
      -- reader that holds a table must not make all others wait behind us.
      when object_in_use or insufficient_privilege or lock_not_available then null;
    end;
  end loop;
end
$function$;

comment on function staffbook.index_people() is
  'Makes the indexes by which people are found in fields, and drops those without a field';

create or replace function staffbook.follow_declarations() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid <> 'staffbook.fields'::regclass then
    raise insufficient_privilege using message = 'follow_declarations() belongs to staffbook.fields';
  end if;
  if tg_when = 'BEFORE' then
    -- Writers of values hold a weaker lock, which this one waits for.
    lock table staffbook.fields in exclusive mode;
  else
    perform staffbook.index_people();
  end if;
  return null;
end
$function$;

comment on function staffbook.follow_declarations() is
  'Trigger: waits for those who write values; keeps the indexes of fields that name people';

-- What names them is locked before it is read: what others write meanwhile is not lost. All are replaced at
-- once: between two of them a record would name somebody who is not there.
drop function if exists staffbook.replace_people(text[], text);
create or replace function staffbook.replace_people(former text[], latter text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set plan_cache_mode = force_custom_plan set gin_fuzzy_search_limit = 0
as $function$
declare
  place record;
  subject text;
  found text[];
  hits text[];
begin
  for subject in
    select distinct f.of from staffbook.fields f where f.kind = 'person' order by 1
  loop
    hits := '{}';
    for place in
      select f.name, f.is_multiple from staffbook.fields f
        where f.of = subject and f.kind = 'person'
    loop
      -- Many people are sought in all lists: an index would be asked for each.
      execute format(
        case
          when not place.is_multiple then 'select array_agg(t.id) from staffbook.%I t
            where t.fields ? %L and left(t.fields ->> %2$L, 300) = any ($1)'
          when cardinality(former) <= 20 then 'select array_agg(t.id) from staffbook.%I t
            where t.fields ? %L and t.fields -> %2$L ?| $1'
          else 'select array_agg(distinct t.id) from staffbook.%I t
            cross join lateral staffbook.field_values(t.fields -> %L) v
            join unnest($1) gone(id) on gone.id = v
            where t.fields ? %2$L' end,
        subject || 's', place.name)
        into found using former;
      hits := hits || found;
    end loop;
    continue when cardinality(hits) = 0;
    execute format('select from staffbook.%I t where t.id = any ($1) order by t.id for no key update',
      subject || 's') using hits;
    execute format($sql$
      with hit as (
        select t.id, f.name, f.is_multiple,
            jsonb_agg(case when gone.id is null then v.id else gone.latter end order by v.place)
              filter (where gone.id is null or gone.latter is not null) as rest
          from (select distinct h.id from unnest($3) h(id)) h
            join staffbook.%1$I t on t.id = h.id
            join staffbook.fields f on f.of = %2$L and f.kind = 'person' and t.fields ? f.name
            cross join lateral staffbook.field_values(t.fields -> f.name)
              with ordinality v(id, place)
            left join unnest($1, $2) gone(id, latter) on gone.id = v.id
          group by t.id, f.name, f.is_multiple having count(gone.id) > 0
      ), latter as (
        select h.id, array_agg(h.name) as names,
            coalesce(jsonb_object_agg(h.name,
                case when h.is_multiple then h.rest else h.rest -> 0 end)
              filter (where h.rest is not null), '{}') as fields
          from hit h group by h.id
      )
      update staffbook.%1$I t set fields = (t.fields - l.names) || l.fields
        from latter l where t.id = l.id
    $sql$, subject || 's', subject)
      using former, latter, hits;
  end loop;
end
$function$;

comment on function staffbook.replace_people(text[], text[]) is
  'Replaces users in fields of the kind person; null takes them out';

create or replace function staffbook.follow_people() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  former text[];
  latter text[];
begin
  if tg_relid <> 'staffbook.users'::regclass then
    raise insufficient_privilege using message = 'follow_people() belongs to staffbook.users';
  end if;
  if not exists (select from staffbook.fields f where f.kind = 'person') then return null; end if;
  if tg_op = 'UPDATE' and not exists (
    select from old_rows o where not exists (select from staffbook.users u where u.id = o.id))
  then
    return null;
  end if;
  -- An older snapshot would not show who names them by now.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'where fields name people, people are only removed or given other ids at the isolation '
        'level READ COMMITTED'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'users';
  end if;
  if tg_op = 'DELETE' then
    select array_agg(o.id), array_agg(null::text) into former, latter from old_rows o;
  else
    select array_agg(o.id), array_agg(n.id) into former, latter
      from (select row_number() over () as place, o.id from old_rows o) o
        join (select row_number() over () as place, n.id from new_rows n) n using (place)
      where o.id <> n.id;
  end if;
  begin
    perform staffbook.replace_people(former, latter);
  exception
    when check_violation or foreign_key_violation then
      -- The server's own words show the row, which the caller need not be allowed to see.
      raise exception 'a record that names a user of another id now cannot name them by it'
        using errcode = 'check_violation', schema = 'staffbook', table = 'users', column = 'id';
  end;
  return null;
end
$function$;

create or replace function staffbook.guard_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  found boolean;
begin
  if tg_relid <> 'staffbook.fields'::regclass then
    raise insufficient_privilege using message = 'guard_field() belongs to staffbook.fields';
  end if;
  if tg_op = 'TRUNCATE' then
    raise exception 'the declarations of fields cannot be truncated'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields',
        hint = 'delete from staffbook.fields takes the values along';
  end if;
  -- Older snapshots would leave behind the values that were written since.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'declarations of fields are only changed at the isolation level READ COMMITTED'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields';
  end if;
  if tg_op = 'DELETE' then
    if old.of = 'user' then
      update staffbook.users set fields = fields - old.name where fields ? old.name;
    else
      update staffbook.departments set fields = fields - old.name where fields ? old.name;
    end if;
    return null;
  end if;
  if old.of = 'user' then
    select exists (select from staffbook.users u where u.fields ? old.name) into found;
  else
    select exists (select from staffbook.departments d where d.fields ? old.name) into found;
  end if;
  if found then
    raise exception 'the field "%" has values', old.name
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'fields',
        hint = 'label, is_searched and sort_order can be changed; for anything else delete the '
          'declaration, which takes the values along';
  end if;
  return null;
end
$function$;

-- History -------------------------------------------------------------------------------------------

-- Comes behind the changes: where constraints are immediate, the transaction is given its time here and
-- at the end of each later statement. What a transaction that has caught up writes itself was not found.
create or replace function staffbook.enlist_transaction(own bigint) returns void
language sql set search_path = pg_catalog, pg_temp
as $function$
  insert into staffbook.transactions as t (number) values (own)
    on conflict (number) do update set at = null, is_found = false
      where t.at is not null or t.is_found
$function$;

-- What is inserted is written with the table's columns as they are, so that one which a later step adds
-- is on record. An object that is built takes half the time of one that is taken apart again.
create or replace function staffbook.record_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set enable_nestloop = off set enable_mergejoin = off
as $function$
declare
  kind text;
  name1 text;
  name2 text;
  beside text[];
  number bigint;
  total bigint;
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.fields'::regclass)
  then
    raise insufficient_privilege
      using message = 'record_changes() belongs to the tables of records of staffbook';
  end if;
  kind := tg_argv[0];
  name1 := tg_argv[1];
  name2 := tg_argv[2];
  beside := array[name1, name2, 'changed_in'];
  number := staffbook.transaction_number();
  if tg_op = 'INSERT' then
    execute (
      select format('insert into staffbook.changes (transaction, kind, key1, key2, after)
          select $1, $2, n.%I, %s, jsonb_build_object(%s) from new_rows n', name1,
          case when name2 = '' then '''''' else format('n.%I', name2) end,
          string_agg(format('%L, n.%I', a.attname, a.attname), ', ' order by a.attnum))
        from pg_attribute a
        where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
          and a.attname <> all (beside))
      using number, kind;
  elsif tg_op = 'DELETE' then
    insert into staffbook.changes (transaction, kind, key1, key2, before)
      select number, kind, r.row ->> name1, coalesce(r.row ->> name2, ''), r.row - beside
        from (select to_jsonb(o) as row from old_rows o offset 0) r;
  else
    insert into staffbook.changes (transaction, kind, key1, key2, before, after)
      select number, kind, c.key1, coalesce(c.key2, ''), c.before - beside, c.after - beside
        from (select row_number() over () as place, to_jsonb(o) as row from old_rows o) o
          join (select row_number() over () as place, to_jsonb(n) as row from new_rows n) n
            using (place)
          cross join lateral (values
              (o.row ->> name1, o.row ->> name2, n.row ->> name1, n.row ->> name2)
            ) k(old1, old2, new1, new2)
          cross join lateral (
            select k.old1, k.old2, o.row, n.row
              where (k.old1, k.old2) is not distinct from (k.new1, k.new2)
                and o.row - 'changed_in' <> n.row - 'changed_in'
            union all
            select k.old1, k.old2, o.row, null
              where (k.old1, k.old2) is distinct from (k.new1, k.new2)
            union all
            select k.new1, k.new2, null, n.row
              where (k.old1, k.old2) is distinct from (k.new1, k.new2)
          ) c(key1, key2, before, after);
  end if;
  get diagnostics total = row_count;
  if total > 0 then perform staffbook.enlist_transaction(number); end if;
  return null;
end
$function$;

create or replace function staffbook.record_replicated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  kind text;
  name1 text;
  name2 text;
  beside text[];
  number bigint;
  former jsonb;
  latter jsonb;
  has_other_key boolean;
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.fields'::regclass)
  then
    raise insufficient_privilege
      using message = 'record_replicated() belongs to the tables of records of staffbook';
  end if;
  kind := tg_argv[0];
  name1 := tg_argv[1];
  name2 := tg_argv[2];
  beside := array[name1, name2, 'changed_in'];
  former := to_jsonb(old);
  latter := to_jsonb(new);
  if tg_op = 'UPDATE' and former - 'changed_in' = latter - 'changed_in' then return null; end if;
  number := staffbook.transaction_number();
  has_other_key := tg_op = 'UPDATE' and
    (former ->> name1, former ->> name2) is distinct from (latter ->> name1, latter ->> name2);
  if has_other_key or tg_op = 'DELETE' then
    insert into staffbook.changes (transaction, kind, key1, key2, before)
      values (number, kind, former ->> name1,
        coalesce(former ->> name2, ''), former - beside);
  end if;
  if has_other_key or tg_op = 'INSERT' then
    insert into staffbook.changes (transaction, kind, key1, key2, after)
      values (number, kind, latter ->> name1,
        coalesce(latter ->> name2, ''), latter - beside);
  elsif tg_op = 'UPDATE' then
    insert into staffbook.changes (transaction, kind, key1, key2, before, after)
      values (number, kind, latter ->> name1,
        coalesce(latter ->> name2, ''), former - beside, latter - beside);
  end if;
  perform staffbook.enlist_transaction(number);
  return null;
end
$function$;

create or replace function staffbook.record_truncation() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
as $function$
declare
  number bigint;
  total bigint;
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.fields'::regclass)
  then
    raise insufficient_privilege
      using message = 'record_truncation() belongs to the tables of records of staffbook';
  end if;
  number := staffbook.transaction_number();
  execute format($sql$
    insert into staffbook.changes (transaction, kind, key1, key2, before)
      select $1, $2, r.row ->> $3, coalesce(r.row ->> $4, ''), r.row - array[$3, $4, 'changed_in']
        from (select to_jsonb(t) as row from staffbook.%I t offset 0) r
  $sql$, tg_table_name)
    using number, tg_argv[0], tg_argv[1], tg_argv[2];
  get diagnostics total = row_count;
  if total > 0 then perform staffbook.enlist_transaction(number); end if;
  return null;
end
$function$;

-- While the clock stands behind the newest transaction, those that end at one moment take turns at a
-- row: otherwise all of them would be given the same time.
create or replace function staffbook.settle_transaction() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
as $function$
declare
  result record;
  ended timestamptz;
  newest timestamptz;
begin
  if tg_relid <> 'staffbook.transactions'::regclass then
    raise insufficient_privilege
      using message = 'settle_transaction() belongs to staffbook.transactions';
  end if;
  if (new.xact, new.began) is distinct from (pg_current_xact_id(), transaction_timestamp()) then
    raise exception 'transaction % has ended, and is given no other time', new.number
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook',
        table = 'transactions';
  end if;
  for attempt in 1..2 loop
    select coalesce(jsonb_object_agg(k.kind, jsonb_build_array(k.added, k.changed, k.removed)),
          '{}') as counts,
        coalesce(bool_or(k.total > 1 and (k.has_several or k.added < k.total
          and k.removed < k.total)), false) as is_mixed
      into result
      from (
        select c.kind, count(*) as total, count(*) filter (where c.before is null) as added,
            count(*) filter (where c.after is null) as removed,
            count(*) filter (where c.before is not null and c.after is not null) as changed,
            min(c.cmin::text::bigint) <> max(c.cmin::text::bigint) as has_several
          from staffbook.changes c where c.transaction = new.number group by c.kind) k;
    exit when attempt = 2 or not result.is_mixed;
    perform staffbook.merge_changes(new.number);
  end loop;
  if result.counts = '{}' then
    delete from staffbook.transactions t where t.number = new.number;
    return null;
  end if;
  ended := clock_timestamp();
  select max(o.at) into newest from staffbook.transactions o;
  if ended <= newest then
    update staffbook.history h
      set last_given = greatest(h.last_given, newest) + interval '1 microsecond'
      returning h.last_given into ended;
  end if;
  update staffbook.transactions t
    set at = ended,
      actor = nullif(left(current_setting('staffbook.actor', true), 1000), ''),
      reason = nullif(left(current_setting('staffbook.reason', true), 10000), ''),
      counts = result.counts
    where t.number = new.number;
  return null;
end
$function$;

-- A record that is other than history has it, by its key.
create or replace function staffbook.unrecorded_change(kind text, key1 text, key2 text)
returns table (before jsonb, after jsonb)
language sql stable set search_path = pg_catalog, pg_temp rows 1
as $function$
  select t.after, l.state
    from (select) one
      left join lateral (
        select c.after, c.is_forgotten from staffbook.changes c
          where c.key1 = $2 collate "C" and c.kind = $1 collate "C" and c.key2 = $3 collate "C"
          order by c.place desc limit 1) t on true
      left join lateral (
        select to_jsonb(d) - '{id,changed_in}'::text[] as state from staffbook.departments d
          where $1 = 'department' and d.id = $2 collate "C"
        union all
        select to_jsonb(u) - '{id,changed_in}'::text[] from staffbook.users u
          where $1 = 'user' and u.id = $2 collate "C"
        union all
        select to_jsonb(m) - '{user_id,department_id,changed_in}'::text[]
          from staffbook.memberships m
          where $1 = 'membership' and m.user_id = $2 collate "C" and m.department_id = $3 collate "C"
        union all
        select to_jsonb(f) - '{of,name}'::text[] from staffbook.fields f
          where $1 = 'field' and f.of = $2 collate "C" and f.name = $3 collate "C") l on true
    where t.is_forgotten is not true and t.after is distinct from l.state
$function$;

comment on function staffbook.unrecorded_change(text, text, text) is
  'A record as history has it last and as it is, where these differ';

create or replace function staffbook.count_unrecorded() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $function$
  select count(*) from staffbook.unrecorded_changes()
$function$;

comment on function staffbook.count_unrecorded() is
  'How many records are other than history has them';

-- All records are compared before anything is locked; under the lock only those that differed.
create or replace function staffbook.catch_up_history() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  compared constant text := staffbook.layout();
  own bigint;
  total bigint := 0;
  kinds text[];
  keys1 text[];
  keys2 text[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'history is only caught up with at the isolation level READ COMMITTED'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'history';
  end if;
  -- What this transaction has written is settled when it ends, and differs until then; what the statement
  -- under way has written is not on record yet.
  if pg_current_xact_id_if_assigned() is not null then
    raise exception 'history is caught up with at the beginning of a transaction'
      using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook', table = 'history';
  end if;
  select array_agg(u.kind), array_agg(u.key1), array_agg(u.key2) into kinds, keys1, keys2
    from staffbook.unrecorded_changes() u;
  if kinds is not null then
    own := staffbook.transaction_number();
    lock table staffbook.departments, staffbook.users, staffbook.memberships, staffbook.fields
      in share row exclusive mode;
    insert into staffbook.changes (transaction, kind, key1, key2, before, after)
      select own, s.kind, s.key1, s.key2, u.before, u.after
        from unnest(kinds, keys1, keys2) s(kind, key1, key2)
          cross join lateral staffbook.unrecorded_change(s.kind, s.key1, s.key2) u;
    get diagnostics total = row_count;
  end if;
  if total > 0 then
    perform staffbook.enlist_transaction(own);
    update staffbook.transactions t set is_found = true where t.number = own;
  end if;
  update staffbook.history h set layout = compared where h.layout <> compared;
  return total;
end
$function$;

-- Tracking ------------------------------------------------------------------------------------------

create or replace function staffbook.prune(keep bigint default 2000) returns xid8
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  own constant xid8 := pg_current_xact_id();
  snapshot constant pg_snapshot := pg_current_snapshot();
  beyond constant xid8 := pg_snapshot_xmax(snapshot);
  oldest_kept xid8;
  horizon xid8;
begin
  select l.changed_in into oldest_kept from staffbook.ledger l
    where l.changed_in < beyond order by l.changed_in desc
    offset greatest(keep, 1) - 1 limit 1;
  if oldest_kept is null then
    select l.changed_in into oldest_kept from staffbook.ledger l
      where l.changed_in < beyond order by l.changed_in limit 1;
  end if;
  horizon := least(oldest_kept, pg_snapshot_xmin(snapshot));

  perform set_config('staffbook.pruning', 'on', true);
  update staffbook.epoch e set pruned_below = horizon
    where e.pruned_below >= beyond or e.pruned_below < horizon;
  delete from staffbook.tombstones t where t.changed_in < horizon
    or t.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and t.changed_in <> own;
  delete from staffbook.ledger l where l.changed_in < horizon
    or l.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and l.changed_in <> own;
  perform set_config('staffbook.pruning', '', true);
  return horizon;
end
$function$;

-- What others than the owner may prune: whoever chose how much is kept could make all readers compare.
create or replace function staffbook.prune_tracking() returns xid8
language sql security definer set search_path = pg_catalog, pg_temp
as $function$
  select staffbook.prune()
$function$;

comment on function staffbook.prune_tracking() is
  'Removes what only readers need that have not synced within the newest 2,000 transactions';

-- Who accepts deletions says how many they were, and nothing else; of those who do not own the schema it
-- is believed only as far as the transaction has really removed them.
create or replace function staffbook.check_acceptance() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  real record;
begin
  if tg_relid <> 'staffbook.accepted_deletions'::regclass then
    raise insufficient_privilege
      using message = 'check_acceptance() belongs to staffbook.accepted_deletions';
  end if;
  if pg_has_role(new.by_role, (select c.relowner from pg_class c where c.oid = tg_relid), 'usage') then
    return null;
  end if;
  select count(*) filter (where t.kind = 'department') as departments,
      count(*) filter (where t.kind = 'user') as users,
      count(*) filter (where t.kind = 'membership') as memberships
    into real
    from (select distinct t.kind, t.key1, t.key2 from staffbook.tombstones t
        where t.changed_in = pg_current_xact_id()) t
    where not exists (select from staffbook.departments d where t.kind = 'department' and d.id = t.key1)
      and not exists (select from staffbook.users u where t.kind = 'user' and u.id = t.key1)
      and not exists (select from staffbook.memberships m
        where t.kind = 'membership' and m.user_id = t.key1 and m.department_id = t.key2);
  select real.departments - coalesce(sum(a.departments), 0) as departments,
      real.users - coalesce(sum(a.users), 0) as users,
      real.memberships - coalesce(sum(a.memberships), 0) as memberships
    into real from staffbook.accepted_deletions a
    where a.changed_in = pg_current_xact_id() and a.at = transaction_timestamp();
  if least(real.departments, real.users, real.memberships) < 0 then
    raise exception 'more deletions are accepted than this transaction has made'
      using errcode = 'check_violation', schema = 'staffbook', table = 'accepted_deletions',
        constraint = 'accepted_deletions_real';
  end if;
  return null;
end
$function$;

comment on function staffbook.check_acceptance() is
  'Trigger: refuses accepted deletions that the transaction has not made';

-- All triggers: what is missing is made, and what is disabled enabled. A replica's session fires row
-- triggers and not those for statements, everybody else the others; `A` fires always, `R` for
-- replicated rows, `O` for all others.
select set_config('staffbook.former_layout', staffbook.layout(), true);

do $block$
declare
  one record;
begin
  -- It was one for each row.
  if exists (select from pg_catalog.pg_trigger t where t.tgname = 'a_follow_renamed' and t.tgtype & 1 = 1
    and t.tgrelid = 'staffbook.users'::regclass)
  then
    drop trigger a_follow_renamed on staffbook.users;
  end if;
  for one in
    with records(relation, kind, key_changed, arguments) as (values
      ('departments', 'department', 'old.id is distinct from new.id', '''department'', ''id'', '''''),
      ('users', 'user', 'old.id is distinct from new.id', '''user'', ''id'', '''''),
      ('memberships', 'membership',
        '(old.user_id, old.department_id) is distinct from (new.user_id, new.department_id)',
        '''membership'', ''user_id'', ''department_id'''),
      ('fields', 'field', null, '''field'', ''of'', ''name''')
    ), wanted(relation, name, state, definition) as (
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
      select r.relation, 'check_fields_after_' || e.event, 'A',
          'after ' || e.event || ' on %s referencing new table as new_rows
            for each statement execute function staffbook.check_fields(''' || r.kind || ''')'
        from records r cross join (values ('insert'), ('update')) e(event)
        where r.relation in ('departments', 'users')
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
        ('transactions', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.keep_changes()'),
        ('changes', 'refuse_truncate', 'A', 'before truncate on %s
          for each statement execute function staffbook.keep_changes()'),
        ('transactions', 'settle_transaction', 'A', 'after insert or update on %s
          deferrable initially deferred for each row when (new.at is null)
          execute function staffbook.settle_transaction()'),
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

update staffbook.history h set layout = staffbook.layout()
  where h.layout = current_setting('staffbook.former_layout');

create index if not exists departments_parent_id on staffbook.departments (parent_id);
create index if not exists memberships_department_id on staffbook.memberships (department_id);
create index if not exists departments_changed_in on staffbook.departments (changed_in);
create index if not exists users_changed_in on staffbook.users (changed_in);
create index if not exists memberships_changed_in on staffbook.memberships (changed_in);
create index if not exists tombstones_changed_in on staffbook.tombstones (changed_in);
create index if not exists accepted_deletions_changed_in
  on staffbook.accepted_deletions (changed_in);
create index if not exists transactions_at on staffbook.transactions (at, number);
create index if not exists changes_key1 on staffbook.changes (key1, place);
create index if not exists changes_former_parent on staffbook.changes (former_parent)
  where kind = 'department' and before is not null;
create index if not exists changes_former on staffbook.changes (key2)
  where kind = 'membership' and before is not null;
select staffbook.index_people();

-- Roles ---------------------------------------------------------------------------------------------

revoke execute on all functions in schema staffbook from public;

-- What each of the roles needs: reading every table, and what constraints and queries call.
create or replace function staffbook.grant_reading(role name) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
declare
  relation regclass;
begin
  if not exists (select from pg_roles r where r.rolname = role) then return false; end if;
  execute format('grant usage on schema staffbook to %I', role);
  for relation in
    select c.oid from pg_class c
      where c.relnamespace = 'staffbook'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
        and not has_any_column_privilege(role, c.oid, 'select')
      order by c.oid
  loop
    execute format('grant select on table %s to %I', relation, role);
  end loop;
  execute format('grant execute on function staffbook.layout(), staffbook.field_values(jsonb),
    staffbook.may_read_history(name), staffbook.count_unrecorded() to %I', role);
  return true;
end
$function$;

comment on function staffbook.grant_reading(name) is
  'Grants a role USAGE, SELECT and what reading calls; false when there is no such role';

create or replace function staffbook.grant_reader() returns boolean
language sql set search_path = pg_catalog, pg_temp
as $function$
  select staffbook.grant_reading('staffbook_reader')
$function$;

comment on function staffbook.grant_reader() is
  'Grants the role staffbook_reader what syncs and readers need; false when there is no such role';

-- What is shown of a change is also the record as it is now: whom a policy hid from those who read
-- history, the log would call removed.
create or replace function staffbook.grant_historian() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
declare
  relation name;
begin
  if not staffbook.grant_reading('staffbook_historian') then return false; end if;
  foreach relation in array '{departments,users,memberships,fields}'::name[]
  loop
    if not exists (
      select from pg_policy p
        where p.polrelid = ('staffbook.' || relation)::regclass and p.polname = 'historians')
    then
      execute format(
        'create policy historians on staffbook.%I for select to staffbook_historian using (true)',
        relation);
    end if;
  end loop;
  return true;
end
$function$;

comment on function staffbook.grant_historian() is
  'Grants the role staffbook_historian what readers have, and every row; false when there is no such role';

create or replace function staffbook.grant_editor() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
begin
  if not staffbook.grant_reading('staffbook_editor') then return false; end if;
  if not has_database_privilege('staffbook_editor', current_database(), 'temporary') then
    execute format('grant temporary on database %I to staffbook_editor', current_database());
  end if;
  grant insert, update, delete
    on staffbook.departments, staffbook.users, staffbook.memberships to staffbook_editor;
  revoke insert on staffbook.accepted_deletions from staffbook_editor;
  grant insert (departments, users, memberships) on staffbook.accepted_deletions
    to staffbook_editor;
  revoke execute on function staffbook.unrecorded_changes(), staffbook.prune(bigint)
    from staffbook_editor;
  grant execute on function staffbook.prune_tracking(), staffbook.prune_history(),
    staffbook.catch_up_history() to staffbook_editor;
  return true;
end
$function$;

revoke execute on function staffbook.grant_reading(name), staffbook.grant_historian() from public;

set local client_min_messages = notice;

do $block$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'staffbook_historian') then
    begin
      create role staffbook_historian nologin;
    exception
      when duplicate_object or unique_violation then null;  -- another database was faster
      when insufficient_privilege then null;
    end;
  end if;
  perform staffbook.grant_reader(), staffbook.grant_editor();
  if not staffbook.grant_historian() then
    raise notice 'the role staffbook_historian is missing, and this user may not create it'
      using hint = 'to let others read history where row-level security hides records, run "create '
        'role staffbook_historian" as an administrator, then "select staffbook.grant_historian()" as '
        'the owner of the schema staffbook';
  end if;
end
$block$;
