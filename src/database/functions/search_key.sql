-- A text as searches compare it: composed, accented, full-width and small letters are their plain capital ones, dashes
-- and quotation marks those of ASCII, and what is not seen is left out. The same on every server, whatever its
-- collations; src/dashboard-api/transactions/search-key.ts does the same to what is typed. Most texts are ASCII, and
-- take a fiftieth of the time.
CREATE OR REPLACE FUNCTION search_key(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(p_text) = length(p_text) THEN upper(p_text COLLATE "C")
              ELSE upper(replace(translate(regexp_replace(normalize(p_text COLLATE "C", NFKD),
    '[\u00ad\u0300-\u036f\u180e\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]+',
    '', 'g'),
    '‐‑‒–—―−‘’‚‛“”„øØłŁđĐħĦŧŦıæœαβγδεζηθικλμνξοπρσςτυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяєіјљњђћџґ',
    '-------''''''''"""OOLLDDHHTTIÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЈЉЊЂЋЏҐ'),
    'ß', 'SS')) END
$$;

REVOKE ALL ON FUNCTION search_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_key TO einvoice_app;
