import type { QueryRunner } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { listOperations, type Operation } from '../fuzz/operations.js';
import type { ApiResponse } from '../support/client.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import type { TestService } from '../support/service.js';
import { createSubject, type Subject, type Way, WAYS } from './late-access.js';
import { type Call, type Lock, type Scenario, SCENARIOS, type Stage } from './late-scenarios.js';

/** State-changing operations of both API descriptions, with absolute paths. */
export const CHANGING_OPERATIONS: readonly Operation[] = listOperations().filter(({ method }) => method !== 'GET');

/** Reason why a request waits while its access ends. */
type Delay = 'body' | 'lock';

const WHILE: Readonly<Record<Delay, string>> = {
  body: 'before its body was complete',
  lock: 'while it waited for a lock',
};

/**
 * Tests that requests of every operation are rejected after their access has ended.
 * @param isFull whether every operation is tested with every way; otherwise only the critical operations are, and the
 *   other operations with one way per delay
 */
export function describeLateRequests(stage: Stage, { isFull }: { isFull: boolean }): void {
  for (const [index, scenario] of SCENARIOS.entries()) {
    const operation = findOperation(scenario);
    const cases = listCases(scenario, operation, isFull || scenario.isCritical ? null : index);
    describe(`the ${scenario.operation} ${scenario.variant ?? 'request'}`, () => {
      it.each(cases)('is rejected after %s %s', async (_, __, way, delay) => {
        const subject = await createSubject(stage, scenario.access);
        const call = await scenario.prepare(stage, subject);
        const late = { stage, operation, subject, call };
        const refuse = delay === 'body' ? refuseBody(late, way) : refuseLocked(late, scenario, way);
        const { response, before } = await refuse;
        expect([response.status, response.body.code], response.text).toEqual(way.refusal);
        expect(await readDigests(stage.service.owner)).toEqual(before);
      });

      it('succeeds while its access is valid', async () => {
        const subject = await createSubject(stage, scenario.access);
        const call = await scenario.prepare(stage, subject);
        const before = await readDigests(stage.service.owner);
        const response = await send({ stage, operation, subject, call });
        expect(response.status, response.text).toBeLessThan(300);
        const after = await readDigests(stage.service.owner);
        if (scenario.variant === undefined) expect(after).not.toEqual(before);
        else expect(after).toEqual(before);
      });
    });
  }
}

function findOperation(scenario: Scenario): Operation {
  const operation = CHANGING_OPERATIONS.find(({ operationId }) => operationId === scenario.operation);
  if (operation === undefined) throw new Error(`No API description has the operation ${scenario.operation}`);
  return operation;
}

type Case = readonly [way: string, during: string, Way, Delay];

/** @param turn chooses one way per delay; null for every way */
function listCases({ operation, access, lock }: Scenario, { body }: Operation, turn: number | null): readonly Case[] {
  const delays: Delay[] = [];
  if (body !== undefined) delays.push('body');
  if (lock !== undefined) delays.push('lock');
  if (delays.length === 0) throw new Error(`The scenario of ${operation}, which has no body, needs a lock`);
  const all = WAYS.filter(({ affects }) => affects(access));
  const ways = turn === null ? all : [all[turn % all.length]];
  return delays.flatMap((delay) => ways.map((way) => [way.name, WHILE[delay], way, delay] as const));
}

interface LateRequest {
  readonly stage: Stage;
  readonly operation: Operation;
  readonly subject: Subject;
  readonly call: Call;
}

interface Refused {
  readonly response: ApiResponse;
  /** Digest of all tables after access had ended. */
  readonly before: Digests;
}

/** Ends access before the last byte of the body, with an operation if there is one. */
async function refuseBody(late: LateRequest, { operation, statements }: Way): Promise<Refused> {
  const { stage, subject, call } = late;
  const body = Buffer.from(JSON.stringify(call.body));
  const connection = begin(late, { Expect: '100-continue' });
  try {
    // The service requests the body after the access check.
    expect((await connection.response()).status).toBe(100);
    connection.write(body.subarray(0, -1));
    await connection.arrived();
    if (operation !== undefined) await operation(stage, subject);
    else await run(stage.service.owner, statements(stage, subject));
    const before = await readDigests(stage.service.owner);
    connection.write(body.subarray(-1));
    return { response: await connection.response(), before };
  } finally {
    connection.destroy();
  }
}

/** Ends access in the database transaction that the request waits for. */
function refuseLocked(late: LateRequest, { lock }: Scenario, { statements }: Way): Promise<Refused> {
  const { stage, subject, call } = late;
  return whileLocked(stage.service, lock?.(stage, subject, call) ?? ['', ''], async (holder, blocked) => {
    const response = send(late);
    await blocked();
    await run(holder, statements(stage, subject));
    const before = await readDigests(holder);
    await holder.commitTransaction();
    return { response: await response, before };
  });
}

/**
 * Runs work while a transaction of the test holds the lock of a row.
 * @param work receives that transaction and a function that waits until the service is blocked by it
 */
export async function whileLocked<T>(
  service: TestService,
  [statement, ...parameters]: Lock,
  work: (holder: QueryRunner, blocked: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const holder = service.owner.createQueryRunner();
  try {
    await holder.startTransaction();
    await holder.query(statement, parameters);
    return await work(holder, () => service.blockedBy(holder));
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

async function run(database: Database, statements: ReturnType<Way['statements']>): Promise<void> {
  for (const [text, parameters] of statements) await database.query(text, [...parameters]);
}

async function send(late: LateRequest): Promise<ApiResponse> {
  const connection = begin(late);
  if (late.call.body !== undefined) connection.write(JSON.stringify(late.call.body));
  try {
    return await connection.response();
  } finally {
    connection.destroy();
  }
}

function begin(
  { stage, operation, subject, call }: LateRequest,
  more: Readonly<Record<string, string>> = {},
): RawConnection {
  const parameters: Readonly<Record<string, string>> = {
    tenantId: stage.tenantId,
    environment: 'sandbox',
    ...call.parameters,
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const connection = openConnection(stage.service);
  connection.begin(operation.method, path, {
    ...subject.headers,
    ...call.headers,
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': call.body === undefined ? 0 : Buffer.byteLength(JSON.stringify(call.body)),
    ...more,
  });
  return connection;
}

type Database = TestService['owner'] | QueryRunner;

type Digests = Readonly<Record<string, string>>;

const TABLES = /* sql */ `
  SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
     AND relname NOT IN ('rate_limit_window', 'sign_in_throttle')`;

/** Digests the rows of each table, except columns that change when a request arrives. */
async function readDigests(database: Database): Promise<Digests> {
  const tables = (await database.query(TABLES)) as { name: string }[];
  const selects = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(sum(hashtextextended(
              (to_jsonb(each) - '{last_used_at,last_seen_at}'::text[])::text, 0)), 0) AS digest FROM "${name}" AS each`,
  );
  const digests = (await database.query(selects.join(' UNION ALL '))) as { name: string; digest: string }[];
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]));
}
