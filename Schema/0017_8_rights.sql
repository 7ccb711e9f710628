-- Who may do what. A trigger function that runs with its owner's rights can be hung on a table of the
-- caller's own, with types and casts of the caller's own, by everybody who may execute it: a reader
-- forged history so, and ran code as the owner of the schema. Nothing in the schema is executable by
-- PUBLIC, and each of these functions refuses any table but those that it was made for, before it looks
-- at a row.
--
-- History shows what row-level security hides, since policies are about the rows of today. Where such
-- policies stand, it is read by members of the role staffbook_historian only.

revoke execute on all functions in schema staffbook from public;

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

revoke execute on function staffbook.may_read_history(name) from public;

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

-- Roles -----------------------------------------------------------------------------------------------

-- Group roles: membership in staffbook_reader is all that a sync needs. Roles belong to the whole cluster, so
-- they may be there already, another database may be making them at this moment, or the migrating user may
-- not be allowed to.

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
        and c.relname not in ('devices', 'tokens', 'sources', 'source_records', 'source_files')
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

revoke execute on function staffbook.grant_reading(name) from public;

comment on function staffbook.grant_reading(name) is
  'Grants a role USAGE, SELECT except on tokens, devices and what lists own, and what reading calls; '
  'false when there is no such role';

create or replace function staffbook.grant_reader() returns boolean
language sql set search_path = pg_catalog, pg_temp
as $function$
  select staffbook.grant_reading('staffbook_reader')
$function$;

revoke execute on function staffbook.grant_reader() from public;

comment on function staffbook.grant_reader() is
  'Grants the role staffbook_reader what syncs and readers need; false when there is no such role';

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
  grant select, insert, update, delete
    on staffbook.sources, staffbook.source_records, staffbook.source_files to staffbook_editor;
  grant insert (departments, users, memberships) on staffbook.accepted_deletions
    to staffbook_editor;
  grant execute on function staffbook.prune_tracking(), staffbook.prune_history(),
    staffbook.catch_up_history(), staffbook.was_used(text, text) to staffbook_editor;
  return true;
end
$function$;

revoke execute on function staffbook.grant_editor() from public;

comment on function staffbook.grant_editor() is
  'Grants the role staffbook_editor what edits and imports need; false when there is no such role';

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

revoke execute on function staffbook.grant_historian() from public;

comment on function staffbook.grant_historian() is
  'Grants the role staffbook_historian what readers have, and every row; false when there is no such role';

-- Whoever owns the schema may write rules in any case; the role is for others.
create or replace function staffbook.grant_admin() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
begin
  if not staffbook.grant_reading('staffbook_admin') then return false; end if;
  grant insert, update, delete on staffbook.visibility_rules, staffbook.visibility_groups
    to staffbook_admin;
  grant select, insert, update, delete on staffbook.devices, staffbook.tokens to staffbook_admin;
  return true;
end
$function$;

revoke execute on function staffbook.grant_admin() from public;

comment on function staffbook.grant_admin() is
  'Grants the role staffbook_admin what readers have, and to write rules, tokens and devices; false when '
  'there is no such role';

create or replace function staffbook.grant_server() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
begin
  if not staffbook.grant_reading('staffbook_server') then return false; end if;
  grant select on staffbook.devices, staffbook.tokens to staffbook_server;
  grant update (last_used) on staffbook.tokens to staffbook_server;
  return true;
end
$function$;

revoke execute on function staffbook.grant_server() from public;

comment on function staffbook.grant_server() is
  'Grants the role staffbook_server what readers have, and to read tokens and devices and note when a '
  'token was used; false when there is no such role';

set local client_min_messages = notice;

do $block$
declare
  one record;
  is_there boolean;
begin
  for one in
    select * from (values
      ('staffbook_reader', 'reader', 'let others read'),
      ('staffbook_editor', 'editor', 'let others edit and import'),
      ('staffbook_historian', 'historian',
        'let others read history where row-level security hides records'),
      ('staffbook_admin', 'admin', 'let others decide who may see whom'),
      ('staffbook_server', 'server', 'let a server that answers for others read tokens')
    ) r(role, name, purpose)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = one.role) then
      begin
        execute format('create role %I nologin', one.role);
      exception
        when duplicate_object or unique_violation then null;  -- another database was faster
        when insufficient_privilege then null;
      end;
    end if;
    execute format('select staffbook.%I()', 'grant_' || one.name) into is_there;
    if not is_there then
      raise notice 'the role % is missing, and this user may not create it', one.role
        using hint = format('to %s, run "create role %s" as an administrator, then "select '
          'staffbook.grant_%s()" as the owner of the schema staffbook', one.purpose, one.role, one.name);
    end if;
  end loop;
end
$block$;

set local client_min_messages = warning;
