-- How long the next attempt to give a password must wait after p_attempts attempts without success.
create or replace function password_delay(p_attempts int) returns interval language sql immutable
return make_interval(secs => case when p_attempts < 5 then 0 else least(300, power(2, least(p_attempts - 5, 20))) end);
