-- name: uses.model
-- $1 team, $2 model.
select sort, own, ids, names, others from plimsoll.list_model_use($1::bigint, $2::text);
