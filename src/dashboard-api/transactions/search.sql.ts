import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../../documents/identity.js';
import { COLUMNS, isBy, pageFrom } from './transaction-list.sql.js';
import { isCurrent, REPLACEABLE_STATUSES, SHOWN_STATUS_SQL, SHOWN_STATUSES, type ShownStatus } from './shown-status.js';

/**
 * A searched or sorted list is read from a set or by a walk. A set is the small result of one condition's index, and
 * all its documents are checked. A walk reads documents in the order of the list until the page is full or until it has
 * checked this many documents. Both limit the rows that a page reads from any index. The searched values are columns of
 * `document`, because an index on `document_transaction` is written four times per document. Trigrams would add 20 % to
 * the WAL of an accepted document.
 */
export const LOOKED_MAX = 2_000;
/** Maximum size of a set. */
export const SET_MAX = 1_000;
/** Maximum number of buyers that a word or the beginning of a TIN may match in a set. */
const TINS_MAX = 100;
/** Maximum of each count. */
export const COUNTED_MAX = 1_000;

/** SQL text with numbered parameters and the names of these parameters. */
export interface NamedStatement<Name extends string> {
  readonly text: string;
  readonly names: readonly Name[];
}

/** Replaces `$name` by numbered parameters. `$1` is always the tenant. */
function name<Name extends string>(sql: string): NamedStatement<Name> {
  const names: string[] = ['tenantId'];
  const text = sql.replaceAll(/\$([a-z]\w*)/gi, (_, found: string) => {
    if (!names.includes(found)) names.push(found);
    return `$${names.indexOf(found) + 1}`;
  });
  return { text, names: names as Name[] };
}

/** Returns the parameter values of a statement in their order. */
export function listParameters<Name extends string>(
  { names }: NamedStatement<Name>,
  values: Readonly<Record<Name, unknown>>,
): unknown[] {
  return names.map((each) => values[each]);
}

const DAY = /* sql */ `(t.payload->>'documentDate')::date`;
/** Equals document.payable_sen. */
const SEN = /* sql */ `((t.totals->>'totalPayableAmount')::numeric * 100)::bigint`;
const NUMBER_KEY = /* sql */ `(SELECT number_key FROM document WHERE tenant_id = $tenantId AND id = t.document_id)`;
/** Words of the buyer's name, each after a space. */
const SPACED_NAME = /* sql */ `(
  SELECT ' ' || name_key FROM buyer
   WHERE tenant_id = $tenantId AND environment = $environment AND tin = t.buyer_tin COLLATE "C"
     AND name = t.payload#>>'{recipient,name}')`;

interface ConditionValues {
  readonly tenantId: unknown;
  readonly environment: unknown;
  readonly types: unknown;
  readonly statuses: unknown;
  /** Range of ids that includes `first` and excludes `end`. */
  readonly first: unknown;
  readonly end: unknown;
  readonly includesReplaced: unknown;
  readonly referenceId: unknown;
  readonly batchId: unknown;
  readonly byKind: unknown;
  readonly byId: unknown;
  readonly action: unknown;
  readonly cause: unknown;
  readonly error: unknown;
  readonly datedFrom: unknown;
  readonly datedTo: unknown;
  readonly hasTerm: unknown;
  /** Beginning of a number or TIN. */
  readonly prefix: unknown;
  /** LIKE patterns for the words of the name. */
  readonly patterns: unknown;
  readonly senFrom: unknown;
  readonly senTo: unknown;
  readonly authorityUuids: unknown;
  readonly id: unknown;
  /** Position of the last row of the previous page. */
  readonly afterKey: unknown;
  readonly afterId: unknown;
  readonly limit: unknown;
  readonly ids: unknown;
  readonly words: unknown;
  /** Upper bound of texts that start with the prefix. */
  readonly prefixEnd: unknown;
}
export type SearchValues = ConditionValues;
type Name = keyof ConditionValues;

/** All conditions of a list on the attempt `t`. */
const CONDITIONS = /* sql */ `
  t.environment = $environment AND t.document_type = ANY ($types::text[]) AND ${SHOWN_STATUS_SQL} = ANY ($statuses::text[])
  AND t.id >= $first::uuid AND t.id < $end::uuid AND ($includesReplaced::boolean OR ${isCurrent('t')})
  AND ($referenceId::text IS NULL OR t.reference_id = $referenceId)
  AND ($batchId::uuid IS NULL OR t.submission_batch_id = $batchId) AND ${isBy('$byKind', '$byId')}
  AND ($action::text IS NULL OR coalesce((
    SELECT (f.dismissed_at IS NULL) = ($action = 'needed') AND ($cause::text IS NULL OR f.cause = $cause)
           AND ($error::text IS NULL OR split_part(f.cause, ':', 1) = $error)
      FROM failed_document f
     WHERE f.tenant_id = $tenantId AND f.document_id = t.document_id AND f.transaction_id = t.id), false))
  AND ${DAY} BETWEEN $datedFrom::date AND $datedTo::date
  AND (NOT $hasTerm::boolean OR starts_with(${NUMBER_KEY}, $prefix::text) OR starts_with(t.buyer_tin, $prefix::text)
       OR ${SPACED_NAME} LIKE ALL ($patterns::text[]) OR ${SEN} BETWEEN $senFrom::bigint AND $senTo::bigint
       OR t.authority_uuid = ANY ($authorityUuids::text[]) OR $id::uuid IN (t.id, t.document_id, t.submission_batch_id))`;

const DOCUMENTS = /* sql */ `SELECT id, transaction_id FROM document WHERE tenant_id = $tenantId AND environment = $environment`;
const ATTEMPTS = /* sql */ `SELECT id FROM document_transaction WHERE tenant_id = $tenantId AND environment = $environment`;

/** Selects the current attempts of documents, or all attempts. */
const selectAttempts = (documents: string): string => /* sql */ `
  SELECT t.id FROM (${documents}) AS d
   CROSS JOIN LATERAL (
     SELECT id FROM document_transaction
      WHERE tenant_id = $tenantId AND document_id = d.id AND ($includesReplaced::boolean OR id = d.transaction_id)
     OFFSET 0) t
   LIMIT ${SET_MAX + 1}`;

const MANY = `LIMIT ${SET_MAX + 1}`;

/** Attempts found by one condition. */
export interface FoundSet {
  readonly ids: readonly string[];
  readonly isTooMuch: boolean;
}

const set = (attempts: string): NamedStatement<Name> =>
  name(/* sql */ `
  SELECT ids, cardinality(ids) > ${SET_MAX} AS "isTooMuch" FROM (SELECT ARRAY(${attempts}) AS ids) AS found`);

/** Statements that find the attempts of one condition. */
export const SETS = {
  batch: set(`${ATTEMPTS} AND submission_batch_id = $batchId::uuid ${MANY}`),
  reference: set(
    selectAttempts(`
    SELECT d.id, d.transaction_id FROM unnest($types::text[]) AS type
     CROSS JOIN LATERAL (${DOCUMENTS} AND document_type = type AND reference_id = $referenceId::text OFFSET 0) d`),
  ),
  dated: set(
    selectAttempts(`${DOCUMENTS} AND document_date >= $datedFrom::date AND document_date <= $datedTo::date ${MANY}`),
  ),
  failed: set(/* sql */ `
    SELECT transaction_id FROM failed_document
     WHERE tenant_id = $tenantId AND environment = $environment AND dismissed_at IS NULL AND $action = 'needed' ${MANY}`),
  term: name<Name>(/* sql */ `
WITH numbered AS MATERIALIZED (${DOCUMENTS} AND number_key >= $prefix AND number_key < $prefixEnd ${MANY}),
priced AS MATERIALIZED (
  ${DOCUMENTS} AND payable_sen >= $senFrom::bigint AND payable_sen <= $senTo::bigint ${MANY}),
counted AS MATERIALIZED (
  SELECT typed.word, (SELECT count(*) FROM (
           SELECT FROM buyer_word b
            WHERE b.tenant_id = $tenantId AND b.environment = $environment
              AND b.word >= typed.word AND b.word < typed.word || U&'\\+10FFFF' COLLATE "C"
            LIMIT ${TINS_MAX + 1}) AS begun) AS tins
    FROM unnest($words::text[]) AS typed (word)),
rarest AS MATERIALIZED (SELECT word, tins FROM counted ORDER BY tins, length(word) DESC LIMIT 1),
begun AS MATERIALIZED (
  (SELECT b.tin FROM rarest CROSS JOIN LATERAL (
     SELECT tin FROM buyer_word
      WHERE tenant_id = $tenantId AND environment = $environment
        AND word >= rarest.word AND word < rarest.word || U&'\\+10FFFF' COLLATE "C"
      LIMIT ${TINS_MAX}) b)
  UNION ALL
  (SELECT tin FROM buyer
    WHERE tenant_id = $tenantId AND environment = $environment AND tin >= $prefix AND tin < $prefixEnd
    LIMIT ${TINS_MAX + 1})
  UNION ALL
  -- Buyers without a name are not stored.
  (SELECT '${GENERAL_PUBLIC_TIN}' WHERE starts_with('${GENERAL_PUBLIC_TIN}', $prefix::text))),
sold AS MATERIALIZED (
  SELECT t.id FROM (SELECT DISTINCT tin FROM begun) AS buyer
   CROSS JOIN LATERAL (${ATTEMPTS} AND buyer_tin = buyer.tin COLLATE "default" OFFSET 0) t ${MANY}),
named AS MATERIALIZED (
  (SELECT id FROM document_transaction
    WHERE tenant_id = $tenantId AND environment = $environment AND authority_uuid = ANY ($authorityUuids::text[]))
  UNION ALL (${ATTEMPTS} AND id = $id::uuid)
  UNION ALL (${ATTEMPTS} AND submission_batch_id = $id::uuid ${MANY})),
found AS MATERIALIZED (
  (${selectAttempts(`(TABLE numbered) UNION (TABLE priced) UNION (${DOCUMENTS} AND id = $id::uuid)`)})
  UNION (TABLE sold) UNION (TABLE named))
SELECT ARRAY(SELECT id FROM found LIMIT ${3 * SET_MAX}) AS ids,
       ${SET_MAX} < ANY (ARRAY[(SELECT count(*) FROM numbered), (SELECT count(*) FROM priced), (SELECT count(*) FROM sold),
         (SELECT count(*) FROM found)])
       OR (SELECT count(*) FROM begun) > ${TINS_MAX} OR coalesce((SELECT tins FROM rarest) > ${TINS_MAX}, false)
         AS "isTooMuch"`),
} as const;

const RANGES = DOCUMENT_TYPES.flatMap((type) =>
  SHOWN_STATUSES.map(
    (status) => /* sql */ `
    (SELECT id FROM document_transaction
      WHERE tenant_id = $tenantId AND environment = $environment AND document_type = '${type}'
        AND ${SHOWN_STATUS_SQL} = '${status}' AND id < $end::uuid
        AND '${type}' = ANY ($types::text[]) AND '${status}' = ANY ($statuses::text[])
      ORDER BY id DESC LIMIT ${LOOKED_MAX})`,
  ),
).join(' UNION ALL');

const walkFailed = (condition: string): string => /* sql */ `
  SELECT transaction_id AS id, NULL::text AS key FROM failed_document
   WHERE tenant_id = $tenantId AND environment = $environment AND transaction_id < $end::uuid AND ${condition}
   ORDER BY transaction_id DESC LIMIT ${LOOKED_MAX}`;

const COLUMN = { date: 'document_date', amount: 'payable_sen' } as const;
const TYPE = { date: 'date', amount: 'bigint' } as const;
const BOUNDS = {
  date: `AND document_date >= $datedFrom::date AND document_date <= $datedTo::date`,
  amount: '',
} as const;

function walkDocuments(by: 'date' | 'amount', direction: 'ASC' | 'DESC'): string {
  const isBehind = direction === 'ASC' ? '>' : '<';
  return /* sql */ `
  SELECT transaction_id AS id, ${COLUMN[by]} AS key FROM document
   WHERE tenant_id = $tenantId AND environment = $environment AND ${COLUMN[by]} IS NOT NULL ${BOUNDS[by]}
     AND (${COLUMN[by]}, transaction_id) ${isBehind} ($afterKey::${TYPE[by]}, $afterId::uuid)
   ORDER BY ${COLUMN[by]} ${direction}, transaction_id ${direction} LIMIT ${LOOKED_MAX}`;
}

interface Walk {
  readonly rows: string;
  readonly order: string;
}

const NEWEST_FIRST = 'id DESC';

const WALK_ROWS = {
  '-accepted': {
    rows: `SELECT id, NULL::text AS key FROM (${RANGES}) AS ranges ORDER BY id DESC LIMIT ${LOOKED_MAX}`,
    order: NEWEST_FIRST,
  },
  needed: { rows: walkFailed('dismissed_at IS NULL'), order: NEWEST_FIRST },
  dismissed: { rows: walkFailed('dismissed_at IS NOT NULL'), order: NEWEST_FIRST },
  date: { rows: walkDocuments('date', 'ASC'), order: 'key, id' },
  '-date': { rows: walkDocuments('date', 'DESC'), order: 'key DESC, id DESC' },
  amount: { rows: walkDocuments('amount', 'ASC'), order: 'key, id' },
  '-amount': { rows: walkDocuments('amount', 'DESC'), order: 'key DESC, id DESC' },
} as const satisfies Readonly<Record<string, Walk>>;
export type WalkName = keyof typeof WALK_ROWS;

/** Reads the attempts of the found ids. */
const readAttempts = (found: string): string => /* sql */ `
  (${found}) AS found (found_id)
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $tenantId AND id = found_id OFFSET 0) t`;

const COUNT = /* sql */ `SELECT ${SHOWN_STATUS_SQL} AS status, count(*)::integer AS documents`;

export interface StatusCountRow {
  readonly status: ShownStatus;
  readonly documents: number;
}

/** Builds the statements of a walk: a page, the counts of the checked documents, and the last checked document. */
function buildWalk({ rows, order }: Walk) {
  const ordered = order.replace('key', 'found.key').replace('id', 'found_id');
  return {
    page: name<Name>(
      pageFrom(
        /* sql */ `SELECT ${COLUMNS}, found.key FROM ${readAttempts(rows)} WHERE ${CONDITIONS} ORDER BY ${ordered} LIMIT $limit::integer`,
        order.replace('key', 't.key').replace('id', 't.id'),
      ),
    ),
    count: name<Name>(/* sql */ `${COUNT} FROM ${readAttempts(rows)} WHERE ${CONDITIONS} GROUP BY 1`),
    end: name<Name>(/* sql */ `
      SELECT id, key::text FROM (${rows}) AS looked ORDER BY ${order} OFFSET ${LOOKED_MAX - 1} LIMIT 1`),
  };
}

/** Last document that a walk checked. */
export interface WalkEndRow {
  readonly id: string;
  readonly key: string | null;
}

export const WALKS = Object.fromEntries(
  Object.entries(WALK_ROWS).map(([walk, rows]) => [walk, buildWalk(rows)]),
) as Readonly<Record<WalkName, ReturnType<typeof buildWalk>>>;

const KEYS = { date: DAY, amount: SEN } as const;

function pageOfSet(order: string, behind: string): NamedStatement<Name> {
  return name(
    pageFrom(
      /* sql */ `SELECT ${COLUMNS} FROM ${readAttempts('SELECT unnest($ids::uuid[]) AS id')}
       WHERE ${CONDITIONS} ${behind} ORDER BY ${order} LIMIT $limit::integer`,
      order,
    ),
  );
}

function pageOfSetBy(by: 'date' | 'amount', direction: 'ASC' | 'DESC'): NamedStatement<Name> {
  return pageOfSet(
    `${KEYS[by]} ${direction}, t.id ${direction}`,
    `AND (${KEYS[by]}, t.id) ${direction === 'ASC' ? '>' : '<'} ($afterKey::${TYPE[by]}, $afterId::uuid)`,
  );
}

export const SET_PAGES = {
  '-accepted': pageOfSet('t.id DESC', ''),
  date: pageOfSetBy('date', 'ASC'),
  '-date': pageOfSetBy('date', 'DESC'),
  amount: pageOfSetBy('amount', 'ASC'),
  '-amount': pageOfSetBy('amount', 'DESC'),
} as const;
export type ListSort = keyof typeof SET_PAGES;
export const SORTS = Object.keys(SET_PAGES) as ListSort[];

export const COUNT_SET = name<Name>(
  /* sql */ `${COUNT} FROM ${readAttempts('SELECT unnest($ids::uuid[]) AS id')} WHERE ${CONDITIONS} GROUP BY 1`,
);

export interface RangeCountRow extends StatusCountRow {
  readonly hasMore: boolean;
}

/** Counts the latest documents per type and status from the ranges of ix_document_transaction_list. */
export const COUNT_RANGES = name<Name>(
  SHOWN_STATUSES.flatMap((status) =>
    DOCUMENT_TYPES.map(
      (type) => /* sql */ `
  SELECT '${status}' AS status, count(*) FILTER (WHERE ${
    REPLACEABLE_STATUSES.includes(status) ? `$includesReplaced::boolean OR ${isCurrent('each')}` : 'true'
  })::integer AS documents, count(*) > ${COUNTED_MAX} AS "hasMore"
    FROM (SELECT ${REPLACEABLE_STATUSES.includes(status) ? 'document_id, attempt' : 'id'} FROM document_transaction
           WHERE tenant_id = $tenantId AND environment = $environment AND document_type = '${type}'
             AND ${SHOWN_STATUS_SQL} = '${status}' AND id >= $first::uuid AND id < $end::uuid
             AND '${type}' = ANY ($types::text[])
           LIMIT ${COUNTED_MAX + 1}) AS each`,
    ),
  ).join(' UNION ALL'),
);
