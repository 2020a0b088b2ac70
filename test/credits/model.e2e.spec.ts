import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { auditCredits } from '../support/audit.js';
import { type ApiResponse, cancel, createTenant, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';
import { startFileService } from '../support/file-service.js';
import { acceptDirectly } from './direct-calls.js';
import { LedgerModel, type ModelEntry, type ModelLot } from './ledger-model.js';

// Compares random grants, submits, cancels, expiries, races and crashes with a model, and audits after every command
// (docs/rules.md#credits). `npm run check -- ledger` runs more sequences.

const RUNS = countRuns(20);
const COMMANDS_MAX = 14;
const SECONDS_PER_RUN = 5;

// Noon in Malaysia, two days before the end of a month. Only whole days are added, so that no run is near midnight.
const START = '2028-02-27T04:00:00Z';
const DAY_MS = 86_400_000;

const service = await startFileService({ environment: { DATABASE_POOL_SIZE: '8' } });
const app = new pg.Pool({ connectionString: service.database.appUrl, max: 8 });
const ledger = new CreditLedger(service.owner);
// end() does not wait for open connections, which PostgreSQL may close when the database is dropped.
app.on('error', () => undefined);
afterAll(() => app.end());

const credits = fc.integer({ min: 1, max: 8 });
const documents = fc.integer({ min: 1, max: 6 });
const environment = fc.constantFrom('sandbox' as const, 'production' as const);
const grantArbitrary = fc.record({
  does: fc.constant('grant' as const),
  credits,
  environment: fc.constantFrom('sandbox' as const, undefined),
  days: fc.integer({ min: 0, max: 4 }),
});
const command = fc.oneof(
  { weight: 3, arbitrary: grantArbitrary },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('submit' as const), documents, isHttp: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('submitLive' as const), documents }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('advance' as const), days: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('race' as const),
      grant: grantArbitrary,
      submits: fc.array(fc.tuple(documents, environment), { minLength: 2, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('crash' as const), documents, isKilled: fc.boolean() }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
type CommandByName<Name extends Command['does']> = Extract<Command, { does: Name }>;

/** The tenant of a sequence with its model. */
class Sequence {
  private readonly model = new LedgerModel();
  private entriesSeen = 0;

  private constructor(private readonly tenant: TestTenant) {}

  static async start(): Promise<Sequence> {
    await service.owner.query(
      'UPDATE service_clock SET offset_seconds = extract(epoch FROM $1::timestamptz - clock_timestamp())',
      [START],
    );
    return new Sequence(await createTenant(service, { credits: 0 }));
  }

  async run(given: Command): Promise<void> {
    if (given.does === 'grant') await this.grant(given);
    if (given.does === 'submit') await this.submit(given);
    if (given.does === 'submitLive') await this.submitLive(given);
    if (given.does === 'cancel') await this.cancel();
    if (given.does === 'advance') await this.advance(given);
    if (given.does === 'race') await this.race(given);
    if (given.does === 'crash') await this.crash(given);
    expect(await auditCredits(service.owner, this.tenant.tenantId)).toEqual([]);
  }

  private async grant({ credits: amount, days, ...where }: Omit<CommandByName<'grant'>, 'does'>): Promise<void> {
    const before = this.model.balance(await now());
    const lastDay = toMalaysianDate(new Date((await now()).getTime() + days * DAY_MS));
    const { balance } = await ledger.grant({ ...where, tenantId: this.tenant.tenantId, credits: amount, lastDay });
    expect(balance).toBe(before + amount);
    expect((await this.follow()).filter(({ kind }) => kind !== 'expire')).toMatchObject([{ kind: 'grant', amount }]);
  }

  private async submit({ documents: count, isHttp }: CommandByName<'submit'>): Promise<void> {
    const at = await now();
    const spendable = this.model.spendable(at, 'sandbox');
    if (isHttp) {
      const batch = Array.from({ length: count }, () => invoice({ document_date: START.slice(0, 10) }));
      expectAnswer(await submit(service, this.tenant, batch), { status: 200, costs: count, spendable });
    } else {
      const outcome = await this.acceptNow(app, count, at);
      expect(outcome).toEqual(spendable >= count ? { left: spendable - count } : { spendable });
    }
    await this.expectCharge('submit', count, spendable);
  }

  /** A production key never spends sandbox credits. */
  private async submitLive({ documents: count }: CommandByName<'submitLive'>): Promise<void> {
    const at = await now();
    const spendable = this.model.spendable(at, 'production');
    const outcome = await this.acceptNow(app, count, at, 'production');
    expect(outcome).toEqual(spendable >= count ? { left: spendable - count } : { spendable });
    await this.expectCharge('submit', count, spendable);
  }

  private async cancel(): Promise<void> {
    const [document] = await service.owner
      .query<{ document_id: string }[]>(
        `UPDATE document_transaction
          SET submission_status = 'Submitted', authority_status = 'Valid', authority_uuid = id, uuid_confirmed = true, validated_at = service_now()
        WHERE (tenant_id, id) = (SELECT tenant_id, id FROM document_transaction
                                  WHERE tenant_id = $1 AND environment = 'sandbox' AND submission_status = 'Queued' LIMIT 1)
        RETURNING document_id`,
        [this.tenant.tenantId],
      )
      .then(([rows]) => rows as unknown as { document_id: string }[]);
    if (document === undefined) return;
    const spendable = this.model.spendable(await now(), 'sandbox');
    const response = await cancel(service, this.tenant, { documentId: document.document_id });
    expectAnswer(response, { status: 202, costs: 1, spendable });
    await this.expectCharge('cancel', 1, spendable);
  }

  private async advance({ days }: CommandByName<'advance'>): Promise<void> {
    await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1 * 86400', [days]);
    expect(await this.follow()).toEqual([]);
  }

  /** Runs a grant and submits concurrently. Their results must match some sequential order. */
  private async race({ grant, submits }: CommandByName<'race'>): Promise<void> {
    const at = await now();
    const before = this.model.balance(at);
    const lastDay = toMalaysianDate(new Date(at.getTime() + grant.days * DAY_MS));
    const { tenantId } = this.tenant;
    const topUp = ledger.grant({ tenantId, credits: grant.credits, lastDay, environment: grant.environment });
    const outcomes = await Promise.all(submits.map(([count, where]) => this.acceptNow(app, count, at, where)));
    await topUp;
    const charged = submits.filter((_, index) => 'left' in outcomes[index]);
    const entries = (await this.follow()).filter(({ kind }) => kind !== 'expire');
    const amounts = [grant.credits, ...charged.map(([count]) => -count)];
    expect(entries.map(({ amount }) => amount).sort(ascending)).toEqual(amounts.sort(ascending));
    for (const [index, outcome] of outcomes.entries()) {
      if ('spendable' in outcome) expect(outcome.spendable).toBeLessThan(submits[index][0]);
    }
    expect(this.model.balance(at)).toBe(before + amounts.reduce((total, amount) => total + amount, 0));
  }

  /** Runs a call that crashes before its commit and must leave no rows. */
  private async crash({ documents: count, isKilled }: CommandByName<'crash'>): Promise<void> {
    const client = new pg.Client({ connectionString: service.database.appUrl });
    await client.connect();
    client.on('error', () => undefined);
    await client.query('BEGIN');
    await this.acceptNow(client, count, await now());
    if (isKilled) {
      const { rows } = await client
        .query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        .catch(() => ({ rows: [] }));
      // A rejected call has already rolled back.
      if (rows.length > 0) await app.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    } else await client.query('ROLLBACK');
    await client.end().catch(() => undefined);
    expect(await this.follow()).toEqual([]);
  }

  private acceptNow(
    connection: pg.Pool | pg.ClientBase,
    count: number,
    at: Date,
    where: 'sandbox' | 'production' = 'sandbox',
  ): ReturnType<typeof acceptDirectly> {
    const { tenantId } = this.tenant;
    return acceptDirectly(connection, { tenantId, documents: count, now: at, environment: where });
  }

  private async expectCharge(kind: string, amount: number, spendable: number): Promise<void> {
    const entries = await this.follow();
    if (spendable < amount) expect(entries).toEqual([]);
    else expect(entries.at(-1)).toMatchObject({ kind, amount: -amount });
  }

  /** Applies the new entries to the model, and compares the lots. */
  private async follow(): Promise<ModelEntry[]> {
    const { tenantId } = this.tenant;
    const lots = await service.owner.query<ModelLot[]>(
      'SELECT id, granted, remaining, expires_at AS "expiresAt", environment FROM credit_lot WHERE tenant_id = $1',
      [tenantId],
    );
    const entries = await service.owner.query<ModelEntry[]>(
      `SELECT kind, amount, balance_after AS "balanceAfter", cause_id AS "causeId", environment,
              created_at AS "createdAt"
         FROM credit_entry WHERE tenant_id = $1 AND sequence > $2 ORDER BY sequence`,
      [tenantId, this.entriesSeen],
    );
    this.entriesSeen += entries.length;
    const lotsById = new Map(lots.map((lot) => [lot.id, lot]));
    for (const entry of entries) this.model.take(entry, lotsById.get(entry.causeId));
    expect(Object.fromEntries(lots.map(({ id, remaining }) => [id, remaining]))).toEqual(this.model.remaining());
    return entries;
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}

function expectAnswer(response: ApiResponse, call: { status: number; costs: number; spendable: number }): void {
  const { costs, spendable } = call;
  if (spendable >= costs) {
    expect(response.status, response.text).toBe(call.status);
    expect(response.headers.get('x-credits-remaining')).toBe(String(spendable - costs));
    return;
  }
  expect(response.status, response.text).toBe(402);
  expect(response.body).toMatchObject({
    requiredCredits: costs,
    remainingCredits: spendable,
    shortBy: costs - spendable,
    documentCount: costs,
  });
}

async function now(): Promise<Date> {
  const [row] = await service.owner.query<{ now: Date }[]>('SELECT service_now() AS now');
  return row.now;
}

it(
  `the ledger matches its model after ${RUNS} random command sequences (RANDOM_SEED=${RANDOM_SEED})`,
  async () => {
    const sequences = fc.asyncProperty(
      fc.array(command, { minLength: 4, maxLength: COMMANDS_MAX }),
      async (commands) => {
        const sequence = await Sequence.start();
        for (const each of commands) await sequence.run(each);
      },
    );
    await fc.assert(sequences, { numRuns: RUNS, seed: RANDOM_SEED });
  },
  RUNS * SECONDS_PER_RUN * 1_000,
);
