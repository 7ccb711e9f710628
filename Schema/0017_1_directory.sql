-- The directory itself: departments, users, and who belongs where.
--
-- These files, 0017_1 to 0017_9, make the whole schema. They run one after the other in one transaction, and
-- may be run again: what is there stays as it is, and what is missing is made. Later steps are files of
-- their own, which may be run again as well.
--
-- An id is its bytes: columns that hold ids have the collation "C". The limits are those of DirectoryLimits
-- in the program; a test compares them.

set local client_min_messages = warning;

comment on schema staffbook is 'Staffbook: a company''s address book';

create table if not exists staffbook.migrations (
  version int not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default transaction_timestamp(),
  min_reader int,
  min_writer int,
  reason text,
  constraint migrations_pkey primary key (version)
);

comment on table staffbook.migrations is 'Steps of the schema that were applied';
comment on column staffbook.migrations.version is 'Number of the step; a new database begins with step 17';
comment on column staffbook.migrations.name is 'What the step is about';
comment on column staffbook.migrations.checksum is 'SHA-256 of the step''s files, in hexadecimal';
comment on column staffbook.migrations.applied_at is 'When its transaction began';
comment on column staffbook.migrations.min_reader is
  'Programs that know this number of the schema or a later one may read; null where none is older';
comment on column staffbook.migrations.min_writer is
  'Programs that know this number of the schema or a later one may write; null where none is older';
comment on column staffbook.migrations.reason is 'Why older programs are still served, or not';

-- Whether a text holds at least one character that leaves a mark on the page. The ranges are
-- those of DirectoryLimits.invisible. Dollar quotes, since the body is read again by every
-- session, also by one with standard_conforming_strings off.
create or replace function staffbook.is_visible(value text) returns boolean
language sql immutable parallel safe
as $function$
  select value operator(pg_catalog.~) $re$[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U000E0FFF]$re$
$function$;

revoke execute on function staffbook.is_visible(text) from public;

comment on function staffbook.is_visible(text) is
  'Whether the text holds a character other than blanks, controls, fillers and format characters';

-- Values of declared fields are never empty, and all of them together have at most
-- DirectoryLimits.fieldBytes bytes as PostgreSQL writes them.
create table if not exists staffbook.departments (
  id text collate "C" not null,
  parent_id text collate "C",
  name text not null,
  description text not null default '',
  sort_order bigint not null default 0,
  changed_in xid8 not null,
  fields jsonb not null default '{}',
  identity uuid not null default gen_random_uuid(),
  constraint departments_pkey primary key (id),
  constraint departments_identity unique (identity),
  constraint departments_parent_fkey foreign key (parent_id)
    references staffbook.departments (id) on update cascade,
  constraint departments_id_length check (octet_length(id) between 1 and 255),
  constraint departments_name_length check (char_length(name) between 1 and 1000),
  constraint departments_name_visible check (staffbook.is_visible(name)),
  constraint departments_description_length check (char_length(description) <= 10000),
  constraint departments_fields_shape check (fields = '{}' or
    jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536
    and not fields @? 'strict $.* ? (@.type() != "string" && @.type() != "array"
      || @ == "" || @.type() == "array" && @.size() == 0)'
    and not fields @? 'strict $.* ? (@.type() == "array")[*] ? (@.type() != "string" || @ == "")')
);

create table if not exists staffbook.users (
  id text collate "C" not null,
  name text not null,
  email text not null default '',
  phone text not null default '',
  primary_department_id text collate "C" not null,
  changed_in xid8 not null,
  fields jsonb not null default '{}',
  identity uuid not null default gen_random_uuid(),
  constraint users_pkey primary key (id),
  constraint users_identity unique (identity),
  constraint users_id_length check (octet_length(id) between 1 and 255),
  constraint users_name_length check (char_length(name) between 1 and 1000),
  constraint users_name_visible check (staffbook.is_visible(name)),
  constraint users_email_length check (char_length(email) <= 1000),
  constraint users_phone_length check (char_length(phone) <= 1000),
  constraint users_fields_shape check (fields = '{}' or
    jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536
    and not fields @? 'strict $.* ? (@.type() != "string" && @.type() != "array"
      || @ == "" || @.type() == "array" && @.size() == 0)'
    and not fields @? 'strict $.* ? (@.type() == "array")[*] ? (@.type() != "string" || @ == "")')
);

create table if not exists staffbook.memberships (
  user_id text collate "C" not null,
  department_id text collate "C" not null,
  title text not null default '',
  sort_order bigint not null default 0,
  changed_in xid8 not null,
  leads boolean not null default false,
  constraint memberships_pkey primary key (user_id, department_id),
  constraint memberships_user_fkey foreign key (user_id)
    references staffbook.users (id) on update cascade on delete cascade,
  constraint memberships_department_fkey foreign key (department_id)
    references staffbook.departments (id) on update cascade,
  constraint memberships_title_length check (char_length(title) <= 1000)
);

-- Exactly one primary membership for each user: the user names it, and it must exist when the
-- transaction ends. A user and the membership refer to each other, so one of the two waits.
do $block$
begin
  if not exists (select from pg_catalog.pg_constraint c
    where c.conname = 'users_primary_membership_fkey' and c.conrelid = 'staffbook.users'::regclass)
  then
    alter table staffbook.users
      add constraint users_primary_membership_fkey foreign key (id, primary_department_id)
        references staffbook.memberships (user_id, department_id) on update cascade
        deferrable initially deferred;
  end if;
end
$block$;

create index if not exists departments_parent_id on staffbook.departments (parent_id);
create index if not exists memberships_department_id on staffbook.memberships (department_id);
create index if not exists departments_changed_in on staffbook.departments (changed_in);
create index if not exists users_changed_in on staffbook.users (changed_in);
create index if not exists memberships_changed_in on staffbook.memberships (changed_in);

comment on table staffbook.departments is
  'Units of the organisation; each has one parent or is a root';
comment on column staffbook.departments.id is
  'Key, 1 to 255 bytes, compared byte for byte';
comment on column staffbook.departments.parent_id is
  'The department above; null for a root';
comment on column staffbook.departments.name is
  'Name, 1 to 1,000 characters with a visible one among them; need not be unique';
comment on column staffbook.departments.description is
  'What the department does; up to 10,000 characters, empty when not known';
comment on column staffbook.departments.sort_order is
  'Place among siblings: smaller comes first, then the name, then the id';
comment on column staffbook.departments.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';
comment on column staffbook.departments.fields is
  'Values of declared fields: an object from name to a text or a list of texts, none of it empty';
comment on column staffbook.departments.identity is
  'Which department it is, whatever its id becomes; never that of another one';

comment on table staffbook.users is
  'People; each belongs to departments through memberships, to one of them primarily';
comment on column staffbook.users.id is
  'Key, 1 to 255 bytes, compared byte for byte';
comment on column staffbook.users.name is
  'Name, 1 to 1,000 characters with a visible one among them; need not be unique';
comment on column staffbook.users.email is
  'Email address as given, up to 1,000 characters; empty when not known';
comment on column staffbook.users.phone is
  'Phone number as given, up to 1,000 characters; empty when not known';
comment on column staffbook.users.primary_department_id is
  'Department of the one primary membership, which must exist when the transaction ends';
comment on column staffbook.users.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';
comment on column staffbook.users.fields is
  'Values of declared fields: an object from name to a text or a list of texts, none of it empty';
comment on column staffbook.users.identity is
  'Who it is, whatever the id becomes; never that of another person';

comment on table staffbook.memberships is
  'Who belongs to which department, the primary memberships included';
comment on column staffbook.memberships.user_id is
  'The user; deleted with it';
comment on column staffbook.memberships.department_id is
  'The department';
comment on column staffbook.memberships.title is
  'What the user does in this department, up to 1,000 characters; empty when not known';
comment on column staffbook.memberships.sort_order is
  'Place among the department''s people: smaller comes first, then the name, then the id';
comment on column staffbook.memberships.changed_in is
  'Top-level transaction that last wrote the row; set by a trigger';
comment on column staffbook.memberships.leads is 'Whether the user leads the department';

-- Identity --------------------------------------------------------------------------------------------

-- A row that is inserted without an identity is somebody new. One that is inserted with an identity is
-- somebody who was here before: undo, restore and imports bring records back so. The identity must be nobody's
-- now.
--
-- Whoever may insert users could so take up the identity of a removed person, and with it what rules let that
-- person see. Identities are no secret: readers see them in rules and groups, editors in lists. So bind_in_rules()
-- refuses one that was another record's to those who may not read the history; the others bring back whom they
-- may see in it.
create or replace function staffbook.keep_identity() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
begin
  raise exception 'the identity of % "%" cannot be changed', tg_argv[0], old.id
    using errcode = 'object_not_in_prerequisite_state', schema = 'staffbook',
      table = tg_table_name, column = 'identity',
      hint = 'an identity belongs to a record from its addition to its removal';
end
$function$;

revoke execute on function staffbook.keep_identity() from public;

comment on function staffbook.keep_identity() is
  'Trigger: refuses another identity for a record that is there';

-- The tree --------------------------------------------------------------------------------------------

-- No department is below itself, whoever moves departments at the same moment.
--
-- Writers of the tree queue up at one row of tree_lock. Updating it, and nothing less, also
-- stops a REPEATABLE READ transaction whose snapshot is too old to see the ring that it closes:
-- it fails with 40001. An advisory lock, LOCK TABLE or SELECT FOR UPDATE lets such rings through.

create table if not exists staffbook.tree_lock (
  only_row boolean not null default true,
  by_xact xid8 not null,
  constraint tree_lock_pkey primary key (only_row),
  constraint tree_lock_only_row check (only_row)
);

insert into staffbook.tree_lock (by_xact) values ('0') on conflict do nothing;

comment on table staffbook.tree_lock is
  'One row, updated by each transaction that changes the shape of the tree, so that one waits for the other';
comment on column staffbook.tree_lock.only_row is
  'True; the key that keeps a second row out';
comment on column staffbook.tree_lock.by_xact is
  'Transaction that last changed the shape of the tree';

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

revoke execute on function staffbook.lock_tree() from public;

comment on function staffbook.lock_tree() is
  'Trigger: makes transactions that change the shape of the tree wait for each other';

-- Members of the ring that the way up from a department runs into, in order from its least id;
-- null when the way ends at a root. Only read once a ring is known.
create or replace function staffbook.ring_above(start text) returns text[]
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

revoke execute on function staffbook.refuse_ring(text) from public;

comment on function staffbook.refuse_ring(text) is
  'Raises SB001 and names the ring above a department';

-- The check after a statement that inserted or updated departments. A new ring passes through a
-- changed row. For a few changed rows it walks up from each of them; for many, or when those
-- walks grow long, it walks down from the roots once and sees who was not reached. Both are
-- linear, and no plan makes them otherwise: a lateral join leaves only the nested loop, and the
-- settings only the index inside it, whatever the statistics say.
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

revoke execute on function staffbook.check_tree() from public;

comment on function staffbook.check_tree() is
  'Trigger: refuses a statement that puts a department below itself';
