alter table sailor add column ship text default 'none';
