-- No department is below itself, whoever moves departments at the same moment.
--
-- Writers of the tree queue up at one row of tree_lock. Updating it, and nothing less, also
-- stops a REPEATABLE READ transaction whose snapshot is too old to see the ring that it closes:
-- it fails with 40001. An advisory lock, LOCK TABLE or SELECT FOR UPDATE lets such rings through.

create table staffbook.tree_lock (
  only_row boolean not null default true,
  by_xact xid8 not null,
  constraint tree_lock_pkey primary key (only_row),
  constraint tree_lock_only_row check (only_row)
);

insert into staffbook.tree_lock (by_xact) values ('0');

comment on table staffbook.tree_lock is
  'One row, updated by each transaction that changes the shape of the tree, so that one waits for the other';
comment on column staffbook.tree_lock.only_row is
  'True; the key that keeps a second row out';
comment on column staffbook.tree_lock.by_xact is
  'Transaction that last changed the shape of the tree';

create function staffbook.lock_tree() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
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

comment on function staffbook.lock_tree() is
  'Trigger: makes transactions that change the shape of the tree wait for each other';

-- Members of the ring that the way up from a department runs into, in order from its least id;
-- null when the way ends at a root. Only read once a ring is known.
create function staffbook.ring_above(start text) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  slow text collate "C" := start;
  fast text collate "C" := start;
  ring text[] collate "C" := '{}';
  least_at int;
begin
  loop  -- the tortoise and the hare meet inside the ring
    select d.parent_id into slow from staffbook.departments d where d.id = slow;
    select p.parent_id into fast
      from staffbook.departments d join staffbook.departments p on p.id = d.parent_id
      where d.id = fast;
    if fast is null then return null; end if;
    exit when slow = fast;
  end loop;
  with recursive member(id, place) as (
    select slow, 1
    union all
    select up.parent_id, member.place + 1
      from member cross join lateral (
        select d.parent_id from staffbook.departments d where d.id = member.id offset 0) up
      where up.parent_id <> slow
  )
  select array_agg(m.id order by m.place),
         (array_agg(m.place order by m.id collate "C"))[1]
    into ring, least_at from member m;
  return ring[least_at:] || ring[:least_at - 1];
end
$function$;

revoke execute on function staffbook.ring_above(text) from public;

comment on function staffbook.ring_above(text) is
  'Members of the ring that the way up from a department runs into; null when it ends at a root';

create function staffbook.refuse_ring(start text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  ring constant text[] := staffbook.ring_above(start);
  shown constant text[] := case
    when cardinality(ring) <= 20 then ring || ring[1]
    else ring[:20] || '…'::text || ring[1] end;
begin
  raise exception 'department "%" would be below itself', ring[1]
    using errcode = 'SB001', schema = 'staffbook', table = 'departments',
      constraint = 'departments_no_ring', column = 'parent_id',
      detail = array_to_string(shown, ' → ')
        || case when cardinality(ring) > 20
             then ' (a ring of ' || cardinality(ring) || ')' else '' end;
end
$function$;

revoke execute on function staffbook.refuse_ring(text) from public;

comment on function staffbook.refuse_ring(text) is
  'Raises SB001 and names the ring above a department';

-- The check after a statement that inserted or updated departments. A new ring passes through a
-- changed row. For a few changed rows it walks up from each of them; for many, or when those
-- walks grow long, it walks down from the roots once and sees who was not reached. Both are
-- linear, and no plan makes them otherwise: a lateral join leaves only the nested loop, and the
-- settings only the index inside it, whatever the statistics say.
create function staffbook.check_tree() returns trigger
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

comment on function staffbook.check_tree() is
  'Trigger: refuses a statement that puts a department below itself';

-- Transition tables and a list of columns exclude each other, hence the differing triggers.
create trigger lock_tree before insert or update of id, parent_id on staffbook.departments
  for each statement execute function staffbook.lock_tree();
create trigger check_tree_after_insert after insert on staffbook.departments
  referencing new table as new_rows
  for each statement execute function staffbook.check_tree();
create trigger check_tree_after_update after update on staffbook.departments
  referencing old table as old_rows new table as new_rows
  for each statement execute function staffbook.check_tree();

alter table staffbook.departments
  enable always trigger lock_tree,
  enable always trigger check_tree_after_insert,
  enable always trigger check_tree_after_update;
