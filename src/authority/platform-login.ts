import { Inject, Injectable } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { type BlockReason, CallBudget } from './call-budget.js';
import { buildLogin, classifyLogin, type LoginResult } from './login.js';
import { getAuthoritySettings } from './settings.js';
import { AuthorityTransport } from './transport.js';

export type PlatformLoginResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'doubtful'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Not sent: logins are blocked for `reason`, or `reason` is null and no slot is free. */
  | { readonly kind: 'not-tried'; readonly reason: BlockReason | null };

const SLOT_WAIT_MS = 6_000;
const DEADLINE_MS = 15_000;
// The authority's code for a missing taxpayer. It shows that the authority accepted the credentials.
const WITHOUT_TAXPAYER = 'invalid_request';

/**
 * Tests the client id and secret without a taxpayer, because a withdrawn appointment would look like a wrong secret.
 */
@Injectable()
export class PlatformLogin {
  constructor(
    private readonly budget: CallBudget,
    private readonly transport: AuthorityTransport,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async try(environment: Environment): Promise<PlatformLoginResult> {
    const reason = await this.budget.findBlockReason(environment, 'login');
    if (reason !== null) return { kind: 'not-tried', reason };
    const slot = await this.budget.reserve(environment, 'login', SLOT_WAIT_MS);
    if (slot === null) return { kind: 'not-tried', reason: null };
    slot.take();
    await slot.ready();
    const settings = getAuthoritySettings(this.configuration, environment);
    const ending = await this.transport.request(buildLogin(environment, settings, DEADLINE_MS));
    const outcome = classifyLogin(ending);
    // A 429 applies to the client id, so it must also delay the dispatchers.
    if (outcome.kind === 'throttled') await this.budget.recordOutcome(slot, ending, outcome.kind);
    return toResult(outcome);
  }
}

type Refusal = Extract<LoginResult, { kind: 'not-appointed' | 'login-doubted' }>;

function toResult(outcome: LoginResult): PlatformLoginResult {
  if (outcome.kind === 'token') return { kind: 'accepted' };
  if (outcome.kind === 'client-refused') return { kind: 'refused' };
  if (outcome.kind === 'throttled') return { kind: 'not-tried', reason: 'call_budget' };
  if (outcome.kind === 'unavailable') return { kind: 'unavailable', reason: outcome.reason };
  return describeRefusal(outcome);
}

function describeRefusal({ kind, errors: [error] }: Refusal): PlatformLoginResult {
  if (kind === 'not-appointed' && error?.code === WITHOUT_TAXPAYER) return { kind: 'accepted' };
  return { kind: 'doubtful', reason: error?.code ?? error?.message ?? 'no reason given' };
}
