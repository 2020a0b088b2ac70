import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, register } from 'prom-client';

const requestSeconds = new Histogram({
  name: 'einvoice_http_request_duration_seconds',
  help: 'Time from the request line to the end of the response',
  labelNames: ['method', 'route', 'status'],
  // The latency objective for accepting a submit is 0.3 s.
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.5, 1, 2.5, 10, 30],
});

const loopWork = new Counter({
  name: 'einvoice_dispatcher_work_total',
  help: 'Work items processed by the loops of the dispatcher, such as calls, lookups and deleted rows',
  labelNames: ['loop'],
});

const loopErrors = new Counter({
  name: 'einvoice_dispatcher_errors_total',
  help: 'Failed ticks of a loop',
  labelNames: ['loop'],
});

const creditAudits = new Counter({
  name: 'einvoice_credit_audits_total',
  help: 'Credit audits run by this process',
});

const creditDeviations = new Counter({
  name: 'einvoice_credit_deviations_total',
  help: 'Deviations found by credit audits; every audit counts existing deviations again',
});

const deadLetters = new Counter({
  name: 'einvoice_event_dead_letters_total',
  help: 'Document events that reached the maximum number of failed attempts, so that an operator must act',
  labelNames: ['consumer'],
});

const rateLimited = new Counter({
  name: 'einvoice_rate_limited_total',
  help: 'Requests that exceeded a rate limit',
  labelNames: ['limit'],
});

const droppedLogLines = new Counter({
  name: 'einvoice_log_lines_dropped_total',
  help: 'Log lines that this process dropped because they could not be written',
});

const heldPolls = new Gauge({
  name: 'einvoice_held_polls',
  help: 'Status requests that wait for a change in this process',
});

// The latency objectives are 60 s until a document is sent, and 30 s until an authority outcome is visible.
const DOCUMENT_SECONDS = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 3_600, 21_600, 86_400];

const sentAfterAccept = new Histogram({
  name: 'einvoice_sent_after_accept_seconds',
  help: 'Time from the acceptance of a document to the call that submitted it',
  labelNames: ['environment'],
  buckets: DOCUMENT_SECONDS,
});

const sentAfterTurn = new Histogram({
  name: 'einvoice_sent_after_turn_seconds',
  help: 'Time from the due time of a document to the call that submitted it',
  labelNames: ['environment'],
  buckets: DOCUMENT_SECONDS,
});

const outcomeAfterAccept = new Histogram({
  name: 'einvoice_outcome_after_accept_seconds',
  help: 'Time from the acceptance of a document until its outcome is in the status response',
  labelNames: ['environment'],
  buckets: DOCUMENT_SECONDS,
});

const outcomeAfterAuthority = new Histogram({
  name: 'einvoice_outcome_after_authority_seconds',
  help: "Time from the authority's outcome of a document until it is in the status response",
  labelNames: ['environment'],
  buckets: DOCUMENT_SECONDS,
});

const authorityCalls = new Counter({
  name: 'einvoice_authority_calls_total',
  help: 'Calls to the authority by result; login is one of the APIs',
  labelNames: ['environment', 'api', 'result'],
});

const budget = new Gauge({
  name: 'einvoice_authority_budget_calls_per_minute',
  help: 'Calls per minute that the call budget allows across all replicas; absent if unlimited',
  labelNames: ['environment', 'api'],
});

const slotWait = new Gauge({
  name: 'einvoice_authority_slot_wait_seconds',
  help: 'Time until the next free slot of the call budget',
  labelNames: ['environment', 'api'],
});

const breaker = new Gauge({
  name: 'einvoice_authority_breaker_open',
  help: '1 while calls of an API keep failing and one call per ten seconds probes it',
  labelNames: ['environment', 'api'],
});

const blocked = new Gauge({
  name: 'einvoice_authority_blocked',
  help: '1 while calls of an API wait for this reason',
  labelNames: ['environment', 'api', 'reason'],
});

const clockDifference = new Gauge({
  name: 'einvoice_authority_clock_difference_seconds',
  help: "Seconds by which the authority's clock is ahead of the database's; negative if it is behind",
  labelNames: ['environment'],
});

const queueDocuments = new Gauge({
  name: 'einvoice_queue_documents',
  help: 'Documents without an outcome by state: held, queued, sending, in_doubt, submitted; counted up to 10,000',
  labelNames: ['environment', 'state'],
});

const queueOldest = new Gauge({
  name: 'einvoice_queue_oldest_seconds',
  help: 'Age of the oldest document by state: since its due time if queued or waiting, since the call if sending, in doubt or submitted; without documents that wait for a recovery',
  labelNames: ['environment', 'state'],
});

const waitingOrganisations = new Gauge({
  name: 'einvoice_waiting_organisations',
  help: 'Largest group of organisations whose queued documents began to wait for the same reason within 24 hours and still wait',
  labelNames: ['environment', 'reason'],
});

const doubts = new Gauge({
  name: 'einvoice_doubts_to_decide',
  help: 'Calls in doubt without further lookups, which an operator must decide',
  labelNames: ['environment'],
});

const waitsForRecovery = new Gauge({
  name: 'einvoice_recovery_waiting_organisations',
  help: 'Organisations awaiting recovery after a database restore',
});

const lowCredits = new Gauge({
  name: 'einvoice_low_credit_organisations',
  help: 'Organisations with few or no credits left',
  labelNames: ['left'],
});

const figuresRead = new Gauge({
  name: 'einvoice_figures_read',
  help: '1 if the metrics of queue, budget and credits could be read from the database, else 0',
});
// An API process does not report these gauges, and a default of 0 would hide that no dispatcher is running.
figuresRead.remove();
waitsForRecovery.remove();

const poolConnections = new Gauge({
  name: 'einvoice_database_connections',
  help: 'Connections of a pool by state: busy, idle',
  labelNames: ['pool', 'use'],
  collect: showPools,
});

const poolWaiting = new Gauge({
  name: 'einvoice_database_waiting',
  help: 'Callers that wait for a connection of a pool',
  labelNames: ['pool'],
});

const poolWaits = new Histogram({
  name: 'einvoice_database_wait_seconds',
  help: 'Time that a caller waited for a connection of a pool, including opening it',
  labelNames: ['pool'],
  buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 10],
});

export interface SendWait {
  readonly sinceAccept: number;
  readonly sinceTurn: number;
}

export function measureSent(environment: string, waits: readonly SendWait[]): void {
  const [afterAccept, afterTurn] = [sentAfterAccept.labels(environment), sentAfterTurn.labels(environment)];
  for (const { sinceAccept, sinceTurn } of waits) {
    afterAccept.observe(sinceAccept);
    afterTurn.observe(sinceTurn);
  }
}

export function measureOutcome(
  environment: string,
  { sinceAccept, sinceAuthority }: { sinceAccept: number; sinceAuthority: number | null },
): void {
  outcomeAfterAccept.observe({ environment }, Math.max(0, sinceAccept));
  if (sinceAuthority !== null) outcomeAfterAuthority.observe({ environment }, Math.max(0, sinceAuthority));
}

export function countAuthorityCall(environment: string, api: string, result: string): void {
  authorityCalls.inc({ environment, api, result });
}

export interface Figures {
  readonly queue: readonly {
    readonly environment: string;
    readonly state: string;
    readonly documents: number;
    readonly oldestSeconds: number | null;
  }[];
  readonly budget: readonly {
    readonly environment: string;
    readonly api: string;
    readonly callsPerMinute: number | null;
    readonly waitSeconds: number;
    readonly isBreakerOpen: boolean;
    readonly blockedReason: string | null;
  }[];
  readonly waiting: readonly {
    readonly environment: string;
    readonly reason: string;
    readonly together: number;
  }[];
  readonly clocks: readonly { readonly environment: string; readonly differenceSeconds: number }[];
  readonly doubts: readonly { readonly environment: string; readonly toDecide: number }[];
  readonly waitsForRecovery: number;
  readonly credits: { readonly none: number; readonly little: number };
}

const FIGURES = [
  queueDocuments,
  queueOldest,
  budget,
  slotWait,
  breaker,
  blocked,
  waitingOrganisations,
  clockDifference,
  doubts,
  waitsForRecovery,
  lowCredits,
];

/** @param figures null if the database could not be read; earlier values are then removed */
export function showFigures(figures: Figures | null): void {
  for (const gauge of FIGURES) gauge.reset();
  figuresRead.set(figures === null ? 0 : 1);
  // A gauge without labels would otherwise report 0.
  if (figures === null) return waitsForRecovery.remove();
  for (const { environment, state, documents, oldestSeconds } of figures.queue) {
    queueDocuments.set({ environment, state }, documents);
    queueOldest.set({ environment, state }, oldestSeconds ?? 0);
  }
  figures.budget.forEach(showBudget);
  for (const { environment, reason, together } of figures.waiting)
    waitingOrganisations.set({ environment, reason }, together);
  for (const { environment, differenceSeconds } of figures.clocks)
    clockDifference.set({ environment }, differenceSeconds);
  for (const { environment, toDecide } of figures.doubts) doubts.set({ environment }, toDecide);
  waitsForRecovery.set(figures.waitsForRecovery);
  lowCredits.set({ left: 'none' }, figures.credits.none);
  lowCredits.set({ left: 'little' }, figures.credits.little);
}

function showBudget({ environment, api, ...row }: Figures['budget'][number]): void {
  if (row.callsPerMinute !== null) budget.set({ environment, api }, row.callsPerMinute);
  slotWait.set({ environment, api }, row.waitSeconds);
  breaker.set({ environment, api }, row.isBreakerOpen ? 1 : 0);
  if (row.blockedReason !== null) blocked.set({ environment, api, reason: row.blockedReason }, 1);
}

export interface WatchedPool {
  readonly name: string;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const pools = new Set<() => WatchedPool>();

export function watchPool(read: () => WatchedPool): () => void {
  pools.add(read);
  return () => void pools.delete(read);
}

export function measurePoolWait(pool: string, seconds: number): void {
  poolWaits.observe({ pool }, seconds);
}

function showPools(): void {
  poolConnections.reset();
  poolWaiting.reset();
  for (const read of pools) {
    const { name: pool, totalCount, idleCount, waitingCount } = read();
    poolConnections.inc({ pool, use: 'busy' }, totalCount - idleCount);
    poolConnections.inc({ pool, use: 'idle' }, idleCount);
    poolWaiting.inc({ pool }, waitingCount);
  }
}

const readers = new Set<() => Promise<void>>();

/** Calls `read` before each scrape. Returns a function that unregisters it. `read` must not fail. */
export function beforeMetrics(read: () => Promise<void>): () => void {
  readers.add(read);
  return () => void readers.delete(read);
}

export async function readMetrics(): Promise<string> {
  await Promise.all([...readers].map((read) => read()));
  return register.metrics();
}

export function measureRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    // A label per URL would create a time series per id.
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    requestSeconds.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}

export function countLoopWork(loop: string, amount: number): void {
  if (amount > 0) loopWork.inc({ loop }, amount);
}

export function countLoopError(loop: string): void {
  loopErrors.inc({ loop });
}

export function countCreditAudit(deviations: number): void {
  creditAudits.inc();
  creditDeviations.inc(deviations);
}

/** Starts the counter at 0, because Prometheus does not detect the increase of a counter that first appears as 1. */
export function beginDeadLetters(consumer: string): void {
  deadLetters.inc({ consumer }, 0);
}

export function countDeadLetter(consumer: string): void {
  deadLetters.inc({ consumer });
}

export function countRateLimited(limit: string): void {
  rateLimited.inc({ limit });
}

export function measureHeldPolls(count: number): void {
  heldPolls.set(count);
}

export function countDroppedLogLines(lines: number): void {
  droppedLogLines.inc(lines);
}
