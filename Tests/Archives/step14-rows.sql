-- The rows of step14.sql.gz. These were written after step 11:
insert into staffbook.fields (of, name, label) values ('user', 'desk', 'Desk');
begin;
insert into staffbook.departments (id, parent_id, name) values ('d', null, 'Works'), ('e', 'd', 'Lamps'), ('g', 'd', 'Glass');
insert into staffbook.users (id, name, email, primary_department_id, fields) values
  ('ann', 'Ann Ash', 'ann@x.example', 'd', '{"desk": "7"}'), ('bo', 'Bo Birk', 'bo@x.example', 'd', '{}'),
  ('cy', 'Cy Cole', 'cy@x.example', 'd', '{}'), ('dee', 'Dee Dahl', 'dee@x.example', 'e', '{}'),
  ('eve', 'Eve Elm', 'eve@x.example', 'e', '{}'), ('fay', 'Fay Fox', 'fay@x.example', 'd', '{}'),
  ('p', 'Pia Pihl', '', 'd', '{}'), ('q', 'Quin Quist', '', 'd', '{}'), ('x', 'Xan Xu', '', 'd', '{}');
insert into staffbook.memberships (user_id, department_id) select id, primary_department_id from staffbook.users;
commit;

-- And these after step 14:
insert into staffbook.fields (of, name, label, kind) values ('user', 'manager', 'Manager', 'person');
update staffbook.users set fields = fields || '{"manager": "ann"}' where id in ('bo', 'fay');
-- Rules and groups before anything moves.
insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer) values
  (-9, 'hide', 'person', 'ann', 'everybody'), (-8, 'hide', 'person', 'dee', 'everybody'), (-7, 'hide', 'person', 'zoe', 'everybody'),
  (-6, 'hide', 'department', 'e', 'everybody');
insert into staffbook.visibility_rules (sort_order, effect, target, viewer, viewer_id) values
  (-5, 'show', 'everything', 'person', 'cy'), (-4, 'show', 'everything', 'group', 'council');
insert into staffbook.visibility_rules (sort_order, effect, target, target_field, target_value, viewer) values
  (-3, 'hide', 'people', 'id', 'bo', 'everybody'), (-2, 'hide', 'people', 'desk', '7', 'everybody');
insert into staffbook.visibility_groups values ('council', 'ann'), ('council', 'dee'), ('council', 'zoe'), ('council', 'cy');
insert into staffbook.devices (name) values ('door');
insert into staffbook.tokens (user_id, purpose, hash) values ('ann', 'phone', sha256('ann'));
insert into staffbook.tokens (device, purpose, hash) values ('door', 'door', sha256('door'));
insert into staffbook.sources (name, fields) values ('list', '{}');
insert into staffbook.source_records (source, kind, id, alias, is_owner) values
  ('list', 'user', 'ann', '1', true), ('list', 'user', 'dee', '4', true), ('list', 'department', 'e', '5', true);
-- A renamed person, whose id goes to somebody else.
begin;
select set_config('staffbook.actor', 'Ada', true), set_config('staffbook.reason', 'she married', true);
update staffbook.users set id = 'anna', name = 'Anna Berg' where id = 'ann';
commit;
begin;
insert into staffbook.users (id, name, primary_department_id) values ('ann', 'Ann Other', 'd');
insert into staffbook.memberships (user_id, department_id) values ('ann', 'd');
commit;
-- A removed person, whose id goes to a namesake; one who is removed for good; one who is removed and forgotten.
delete from staffbook.users where id = 'cy';
begin;
insert into staffbook.users (id, name, primary_department_id) values ('cy', 'Cy Cohn', 'd');
insert into staffbook.memberships (user_id, department_id) values ('cy', 'd');
commit;
update staffbook.users set phone = '1' where id = 'dee';
delete from staffbook.users where id = 'dee';
delete from staffbook.users where id = 'eve';
select staffbook.forget_person('eve');
select staffbook.forget_person('fay');
-- Two who change ids, one by way of another, one back and forth: each in one transaction.
begin;
update staffbook.users set id = 't' where id = 'p';
update staffbook.users set id = 'p' where id = 'q';
update staffbook.users set id = 'q' where id = 't';
commit;
begin;
update staffbook.users set id = 'bo1' where id = 'bo';
update staffbook.users set id = 'bo2' where id = 'bo1';
commit;
begin;
update staffbook.users set id = 'y' where id = 'x';
update staffbook.users set id = 'x' where id = 'y';
commit;
-- One who leaves the id in the transaction in which another one gets it.
begin;
update staffbook.users set id = 'anne' where id = 'anna';
update staffbook.users set id = 'anna' where id = 'ann';
commit;
update staffbook.departments set id = 'f' where id = 'e';
delete from staffbook.departments where id = 'g';
insert into staffbook.departments (id, parent_id, name) values ('g', 'd', 'Garden');
