-- The current profile of a tenant, in the members of a supplier.
CREATE OR REPLACE FUNCTION supplier_of(p_tenant_id uuid) RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object(
           'name', t.name, 'tin', t.tin, 'idType', t.id_type, 'idValue', t.id_value, 'sstNumber', t.sst_number,
           'ttxNumber', t.ttx_number, 'msic', t.msic, 'activity', t.activity,
           'addressLines', to_jsonb(array_remove(ARRAY[t.address_line1, nullif(t.address_line2, '')], NULL)),
           'city', t.city, 'postcode', t.postcode, 'stateCode', t.state_code, 'country', t.country, 'phone', t.phone,
           'email', t.email, 'defaultTaxType', t.default_tax_type, 'defaultClassification', t.default_classification)
    FROM tenant t WHERE t.tenant_id = p_tenant_id
$$;

REVOKE ALL ON FUNCTION supplier_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION supplier_of TO einvoice_app;
