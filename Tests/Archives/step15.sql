-- What lists own is for those who import. It names people and departments by id, where the lists had them,
-- and values by hashes without a salt, so that short ones can be guessed: whoever was kept from a record
-- by row-level security read it there.
--
-- May be run again.

set local client_min_messages = warning;

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

comment on function staffbook.grant_reading(name) is
  'Grants a role USAGE, SELECT except on tokens, devices and what lists own, and what reading calls; '
  'false when there is no such role';

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

-- Earlier steps, when they are run again, grant readers every table.
do $block$
declare
  role name;
begin
  foreach role in array
    '{staffbook_reader,staffbook_historian,staffbook_admin,staffbook_server}'::name[]
  loop
    continue when not exists (select from pg_catalog.pg_roles r where r.rolname = role);
    execute format(
      'revoke all on staffbook.sources, staffbook.source_records, staffbook.source_files from %I', role);
  end loop;
  perform staffbook.grant_editor();
end
$block$;
