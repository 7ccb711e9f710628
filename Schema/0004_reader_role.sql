-- A group role that may read everything and write nothing: membership in it is all that a sync
-- needs. Roles belong to the whole cluster, so it may be there already, another database may be
-- making it at this moment, or the migrating user may not be allowed to.

create function staffbook.grant_reader() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
declare
  relation regclass;
begin
  if not exists (select from pg_roles where rolname = 'staffbook_reader') then
    return false;
  end if;
  if not has_schema_privilege('staffbook_reader', 'staffbook', 'usage') then
    grant usage on schema staffbook to staffbook_reader;
  end if;
  for relation in
    select c.oid from pg_class c
      where c.relnamespace = 'staffbook'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      order by c.oid
  loop
    if not has_table_privilege('staffbook_reader', relation, 'select') then
      execute format('grant select on table %s to staffbook_reader', relation);
    end if;
  end loop;
  return true;
end
$function$;

revoke execute on function staffbook.grant_reader() from public;

comment on function staffbook.grant_reader() is
  'Grants the role staffbook_reader USAGE and SELECT; false when there is no such role';

do $block$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'staffbook_reader') then
    begin
      create role staffbook_reader nologin;
    exception
      when duplicate_object or unique_violation then null;  -- another database was faster
      when insufficient_privilege then null;
    end;
  end if;
  if not staffbook.grant_reader() then
    raise notice 'the role staffbook_reader is missing, and this user may not create it'
      using hint = 'to let others read, run "create role staffbook_reader" as an administrator, '
        'then "select staffbook.grant_reader()" as the owner of the schema staffbook';
  end if;
end
$block$;
