-- Rules that select people by a value which is somebody's id follow the person to another id, as the value
-- itself does: a rule that hides whom a manager leads goes on hiding them.
--
-- May be run again.

set local client_min_messages = warning;

create or replace function staffbook.follow_in_rules() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  kind text;
  naming text[];
begin
  kind := case tg_relid when 'staffbook.departments'::regclass then 'department'
    when 'staffbook.users'::regclass then 'person' end;
  if kind is null then
    if tg_relid <> 'staffbook.fields'::regclass then
      raise insufficient_privilege
        using message = 'follow_in_rules() belongs to the tables of records of staffbook';
    end if;
    -- Rules name a field whoever has it.
    if exists (select from staffbook.fields f where f.name = old.name) then return null; end if;
    update staffbook.visibility_rules r
      set fields = array_replace(r.fields, old.name, new.name),
        target_field = case when r.target_field = old.name then new.name else r.target_field end,
        viewer_field = case when r.viewer_field = old.name then new.name else r.viewer_field end
      where old.name in (r.target_field, r.viewer_field) or old.name = any (r.fields);
    return null;
  end if;
  update staffbook.visibility_rules r
    set target_id = case when r.target = kind and r.target_id = old.id then new.id else r.target_id end,
      viewer_id = case when r.viewer = kind and r.viewer_id = old.id then new.id else r.viewer_id end
    where r.target = kind and r.target_id = old.id or r.viewer = kind and r.viewer_id = old.id;
  if kind = 'person' then
    select array_agg(f.name) || 'id'::text into naming
      from staffbook.fields f where f.of = 'user' and f.kind = 'person';
    update staffbook.visibility_rules r
      set target_value = case when r.target = 'people' and r.target_field = any (naming)
          and r.target_value = old.id then new.id else r.target_value end,
        viewer_value = case when r.viewer = 'people' and r.viewer_field = any (naming)
          and r.viewer_value = old.id then new.id else r.viewer_value end
      where r.target = 'people' and r.target_field = any (naming) and r.target_value = old.id
        or r.viewer = 'people' and r.viewer_field = any (naming) and r.viewer_value = old.id;
    delete from staffbook.visibility_groups g
      where g.user_id = old.id and exists (
        select from staffbook.visibility_groups o where o.name = g.name and o.user_id = new.id);
    update staffbook.visibility_groups g set user_id = new.id where g.user_id = old.id;
  end if;
  return null;
end
$function$;

comment on function staffbook.follow_in_rules() is
  'Trigger: rules and groups follow a department, a user or a field to another id or name, and rules by a '
  'value that is a user''s id follow the user';
