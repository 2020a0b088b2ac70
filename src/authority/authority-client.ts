import { Inject, Injectable, Logger } from '@nestjs/common';
import { countAuthorityCall } from '../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import {
  type AuthorityCall,
  AuthorityCalls,
  type SearchWindow,
  type SubmissionToSend,
  type TinCheck,
} from './authority-calls.js';
import { CallBudget, CallSlot } from './call-budget.js';
import { readDate } from './authority-clock.js';
import type { AuthorityApi } from './call-limits.js';
import {
  classifyCancel,
  classifyDetails,
  classifyProbe,
  classifyRaw,
  classifySearch,
  classifySubmission,
  classifySubmit,
  classifyTin,
  isHtml,
} from './classify.js';
import type {
  CancelOutcome,
  Dated,
  DetailsOutcome,
  LoginFailure,
  ProbeOutcome,
  RawOutcome,
  SearchOutcome,
  SubmissionOutcome,
  SubmitOutcome,
  Throttled,
  TinOutcome,
  Traced,
} from './outcomes.js';
import { OperatorError } from '../errors/operator-error.js';
import { formatTraceparent, getTraceId, type CallTrace } from '../observability/tracing/tracing.js';
import { AuthorityTokens, type Taxpayer, type WaitLimits, type TokenOutcome } from './tokens.js';
import type { AuthorityResponse, Ending } from './ending.js';
import { AuthorityTransport, type TransportRequest } from './transport.js';

type CallRequest = Pick<TransportRequest, 'method' | 'path' | 'body'>;

interface EndedCall {
  readonly outcome: string;
  readonly ending: Ending;
  readonly ms: number;
}

const API_PATH = '/api/v1.0';
// The authority documents 400 (`BadStructure`) for this body. A probe with a document could end in doubt.
const PROBE_BODY = Buffer.from('{}', 'utf8');
const ANOTHER_SLOT_WITHIN_MS = 5_000;
const SLOTS_MAX = 3;
const NO_SLOT_RETRY_SECONDS = 1;
// The authority's largest page. A submission has at most 100 documents, so one page always suffices.
const PAGE_SIZE = 100;

// Expected outcomes, which are logged at debug level.
const ROUTINE: ReadonlySet<string> = new Set([
  'found',
  'page',
  'cancelled',
  'valid',
  'invalid',
  'not-yet',
  'not-found',
  'reachable',
]);

/** Calls the authority over HTTP. Logs in if necessary. After a 401, retries once with a new token and slot. */
@Injectable()
export class AuthorityClient implements AuthorityCalls {
  private readonly logger = new Logger(AuthorityClient.name);

  constructor(
    private readonly transport: AuthorityTransport,
    private readonly tokens: AuthorityTokens,
    private readonly budget: CallBudget,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  submit(call: AuthorityCall<'submit'>, submission: SubmissionToSend): Promise<Traced<SubmitOutcome>> {
    const request: CallRequest = { method: 'POST', path: '/documentsubmissions', body: submission.body };
    return this.call(call, request, (ending) => classifySubmit(ending, submission.referenceIds));
  }

  probeSubmit(call: AuthorityCall<'submit'>): Promise<Traced<ProbeOutcome>> {
    return this.call(call, { method: 'POST', path: '/documentsubmissions', body: PROBE_BODY }, classifyProbe);
  }

  getSubmission(
    call: AuthorityCall<'getSubmission'>,
    submissionUid: string,
  ): Promise<Dated<Traced<SubmissionOutcome>>> {
    const path = `/documentsubmissions/${encodeURIComponent(submissionUid)}?pageNo=1&pageSize=${PAGE_SIZE}`;
    return this.call(call, { method: 'GET', path }, classifySubmission);
  }

  details(call: AuthorityCall<'details'>, authorityUuid: string): Promise<Traced<DetailsOutcome>> {
    const path = `/documents/${encodeURIComponent(authorityUuid)}/details`;
    return this.call(call, { method: 'GET', path }, classifyDetails);
  }

  raw(call: AuthorityCall<'raw'>, authorityUuid: string): Promise<Traced<RawOutcome>> {
    const path = `/documents/${encodeURIComponent(authorityUuid)}/raw`;
    return this.call(call, { method: 'GET', path }, classifyRaw);
  }

  cancel(
    call: AuthorityCall<'cancel'>,
    cancellation: { authorityUuid: string; reason: string },
  ): Promise<Traced<CancelOutcome>> {
    const path = `/documents/state/${encodeURIComponent(cancellation.authorityUuid)}/state`;
    const body = Buffer.from(JSON.stringify({ status: 'cancelled', reason: cancellation.reason }), 'utf8');
    return this.call(call, { method: 'PUT', path, body }, classifyCancel);
  }

  validateTin(call: AuthorityCall<'validateTin'>, { tin, idType, idValue }: TinCheck): Promise<Traced<TinOutcome>> {
    const path = `/taxpayer/validate/${encodeURIComponent(tin)}?${new URLSearchParams({ idType, idValue }).toString()}`;
    return this.call(call, { method: 'GET', path }, classifyTin);
  }

  search(call: AuthorityCall<'search'>, window: SearchWindow): Promise<Traced<SearchOutcome>> {
    const query = new URLSearchParams({
      submissionDateFrom: formatWholeSecond(window.submittedFrom),
      submissionDateTo: formatWholeSecond(new Date(window.submittedTo.getTime() + 999)),
      invoiceDirection: 'Sent',
      pageNo: String(window.page),
      pageSize: String(PAGE_SIZE),
    });
    return this.call(call, { method: 'GET', path: `/documents/search?${query.toString()}` }, classifySearch);
  }

  probeLogin(slot: CallSlot<'login'>, taxpayer: Taxpayer): Promise<'accepted' | 'refused' | 'unknown'> {
    return this.tokens.probe(slot, taxpayer);
  }

  private async call<Api extends AuthorityApi, Outcome extends { readonly kind: string }>(
    call: AuthorityCall<Api>,
    request: CallRequest,
    classify: (ending: Ending) => Outcome,
  ): Promise<Dated<Traced<Outcome | LoginFailure>>> {
    const { slot, signal } = call;
    slot.take();
    const startedAt = performance.now();
    const deadlineMs = this.configuration.times.authorityDeadlineSeconds * 1000;
    const deadlineAt = call.deadlineAt ?? startedAt + slot.remainingMs + deadlineMs;
    const ending = await this.sendAuthorized(call, request, { deadlineAt, signal });
    if ('failure' in ending) return { ...ending.failure, correlationId: null, date: null };
    const outcome = classify(ending);
    await this.budget.recordOutcome(slot, ending, outcome.kind);
    const correlationId = ending.kind === 'response' ? ending.correlationId : null;
    this.log(call, { outcome: outcome.kind, ending, ms: performance.now() - startedAt });
    return { ...outcome, correlationId, date: ending.kind === 'response' ? readDate(ending) : null };
  }

  /** Sends the request. A 401 means "not processed", so the request is sent once more with a new token. */
  private async sendAuthorized<Api extends AuthorityApi>(
    call: AuthorityCall<Api>,
    request: CallRequest,
    limits: WaitLimits,
  ): Promise<Ending | { failure: LoginFailure }> {
    const { taxpayer, slot } = call;
    const first = await this.getToken(call, limits);
    if (first.kind !== 'token') return { failure: first };
    const lateFailure = await this.waitForTurn(slot, call, limits);
    if (lateFailure !== null) return { failure: lateFailure };
    const ending = await this.send(call, first.token.accessToken, { ...request, ...limits });
    const isExpired = ending.kind === 'response' && ending.status === 401 && !first.isNew;
    if (!isExpired) return ending;
    countAuthorityCall(slot.environment, slot.api, 'token-expired');
    const second = await this.getToken(call, limits, () => this.tokens.drop(slot.environment, taxpayer, first.token));
    if (second.kind !== 'token') return { failure: second };
    const failure = await this.waitForTurn(await this.reserveAnother(call, limits), call, limits);
    if (failure !== null) return { failure };
    return this.send(call, second.token.accessToken, { ...request, ...limits });
  }

  /** Waits for the slot, and reserves another one if the slot has expired. Returns null if the call may be sent. */
  private async waitForTurn<Api extends AuthorityApi>(
    slot: CallSlot<Api> | LoginFailure,
    call: AuthorityCall<Api>,
    limits: WaitLimits,
  ): Promise<LoginFailure | null> {
    let turn = slot;
    for (let slots = 1; turn instanceof CallSlot; slots += 1) {
      const isReady = await turn.ready(limits.signal).then(
        () => true,
        () => false,
      );
      if (!isReady) return buildNotSent('given up while waiting for its slot');
      if (!turn.isLate) return null;
      turn = slots < SLOTS_MAX ? await this.reserveAnother(call, limits) : buildNoSlot(turn);
    }
    return turn;
  }

  private async reserveAnother<Api extends AuthorityApi>(
    { slot, taxpayer }: AuthorityCall<Api>,
    { deadlineAt }: WaitLimits,
  ): Promise<CallSlot<Api> | LoginFailure> {
    const { tenantId } = taxpayer;
    const withinMs = Math.min(ANOTHER_SLOT_WITHIN_MS, deadlineAt - performance.now());
    if (withinMs <= 0) return buildNotSent('the deadline passed before its slot');
    try {
      const another = await this.budget.reserveWithinShare(
        { tenantId, environment: slot.environment },
        slot.api,
        withinMs,
      );
      if (!(another instanceof CallSlot)) return another ?? buildNoSlot(slot);
      another.take();
      return another;
    } catch (error) {
      this.logger.error(`No slot for ${slot.api}: ${error instanceof Error ? error.message : 'unknown error'}`);
      return buildNotSent('the call budget could not be read');
    }
  }

  private async getToken<Api extends AuthorityApi>(
    { taxpayer, slot }: AuthorityCall<Api>,
    limits: WaitLimits,
    before?: () => Promise<void>,
  ): Promise<TokenOutcome> {
    try {
      await before?.();
      return await this.tokens.getToken(slot.environment, taxpayer, limits);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      // The request was not sent, so a database error must not be reported as an error of the authority.
      this.logger.error(`No token for ${slot.api}: ${error instanceof Error ? error.message : 'unknown error'}`);
      return buildNotSent('the stored token could not be read');
    }
  }

  private send<Api extends AuthorityApi>(
    { slot, trace }: AuthorityCall<Api>,
    accessToken: string,
    request: CallRequest & WaitLimits,
  ): Promise<Ending> {
    const traceparent = formatTraceparent(trace?.span);
    return this.transport.request({
      ...request,
      environment: slot.environment,
      api: slot.api,
      host: 'api',
      path: API_PATH + request.path,
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${accessToken}`,
        ...(traceparent === undefined ? {} : { traceparent }),
      },
    });
  }

  private log(
    { taxpayer: { tenantId }, slot, trace }: AuthorityCall<AuthorityApi>,
    { outcome, ending, ms }: EndedCall,
  ): void {
    const result = ending.kind === 'response' ? describeResponse(ending) : `${ending.kind}: ${ending.reason}`;
    const correlation =
      ending.kind === 'response' && ending.correlationId !== null ? `, correlation ${ending.correlationId}` : '';
    const line = `${slot.environment} ${slot.api}: ${outcome} (${result}${correlation}, ${Math.round(ms)} ms)`;
    const entry = { msg: line, tenantId, ...(trace !== undefined && describeTrace(trace)) };
    if (outcome === 'accepted') this.logger.log(entry);
    else if (ROUTINE.has(outcome)) this.logger.debug(entry);
    else this.logger.warn(entry);
  }
}

function describeResponse(response: AuthorityResponse): string {
  return `status ${response.status}${isHtml(response) ? ' and an HTML page' : ''}`;
}

function describeTrace({ span, linkedTraceIds }: CallTrace): object {
  return { traceId: getTraceId(span), ...(linkedTraceIds.length > 0 && { linkedTraceIds }) };
}

function buildNotSent(reason: string): LoginFailure {
  return { kind: 'unavailable', cause: 'not-sent', reason, retryAfterSeconds: null };
}

function buildNoSlot({ api }: CallSlot): Throttled {
  return { kind: 'throttled', api, retryAfterSeconds: NO_SLOT_RETRY_SECONDS };
}

function formatWholeSecond(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
