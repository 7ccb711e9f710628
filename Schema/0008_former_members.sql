-- What happened in a department is found by the people who are in it and by those who were. An index
-- of all changes of memberships by department took a third of what recording costs an import: most
-- of them add somebody who is there still.

create index changes_former on staffbook.changes (key2)
  where kind = 'membership' and before is not null;

drop index staffbook.changes_key2;
