-- The value of the header `onbehalfof` of an authority call for this taxpayer.
CREATE OR REPLACE FUNCTION on_behalf_of(p_tin text, p_id_type text, p_id_value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_tin LIKE 'IG%' AND p_id_type = 'BRN' THEN p_tin || ':' || p_id_value ELSE p_tin END
$$;

REVOKE ALL ON FUNCTION on_behalf_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION on_behalf_of TO einvoice_app, einvoice_dispatcher;
