import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CallBudget } from '../../authority/call-budget.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { Taxpayer } from '../../authority/tokens.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { CallWindows } from '../queue/call-windows.js';
import { makeQueuesWithoutTokenWait, CLIENT_REFUSED, endClientRefusedWaits } from '../queue/tenant-queues.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';

interface ProbeRound {
  readonly tried: Set<string>;
  wantsRecent: boolean;
}

/**
 * Tests every ten seconds whether the authority still refuses our client id or secret. Alternates between taxpayers
 * with a recent login and waiting ones, so that a missing appointment does not prolong the outage.
 */
@Injectable()
@RepeatedLoop({ name: 'credentials', intervalMs: 1_000, concurrency: 1 })
export class CredentialsLoop implements Loop {
  private readonly rounds = new Map<Environment, ProbeRound>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
    private readonly windows: CallWindows,
  ) {}

  async tick(): Promise<number> {
    const probes = this.windows.environments.map((environment) => this.probe(environment));
    return (await Promise.all(probes)).filter(Boolean).length;
  }

  private async probe(environment: Environment): Promise<boolean> {
    if (!(await this.budget.isLoginProbeDue(environment))) return false;
    const round = this.rounds.get(environment) ?? { tried: new Set(), wantsRecent: true };
    const taxpayer = await findLoginProbe(this.dataSource.manager, { environment, ...round });
    if (taxpayer === null) return false;
    const slot = await this.budget.reserveLoginProbe(environment);
    if (slot === null) return false;
    if (round.tried.has(formatTaxpayer(taxpayer))) round.tried.clear();
    round.tried.add(formatTaxpayer(taxpayer));
    round.wantsRecent = !round.wantsRecent;
    this.rounds.set(environment, round);
    const outcome = await this.authority.probeLogin(slot, taxpayer);
    if (outcome === 'unknown') return false;
    const isAccepted = outcome === 'accepted';
    if (isAccepted) this.rounds.delete(environment);
    // Only sends wait in tenant queues, and dispatchers with another client id may still send.
    if (!this.windows.sendsQueued) return isAccepted;
    await withFailpoints('credentials.settle', () =>
      this.dataSource.transaction((tx) =>
        isAccepted ? endClientRefusedWaits(tx, environment) : makeQueuesWithoutTokenWait(tx, environment),
      ),
    );
    return isAccepted;
  }
}

// Selects taxpayers that logged in within the last day or wait for a login. Untried ones come first.
const FIND = /* sql */ `
  SELECT tenant_id AS "tenantId", on_behalf_of AS "onBehalfOf"
    FROM (SELECT t.tenant_id, t.on_behalf_of,
                 coalesce(bool_or(t.logged_in_at > service_now() - interval '24 hours'), false) AS is_recent
            FROM authority_token t WHERE t.environment = $1 GROUP BY t.tenant_id, t.on_behalf_of) logins
   WHERE is_recent
      OR EXISTS (SELECT FROM tenant_queue q
                  WHERE q.tenant_id = logins.tenant_id AND q.environment = $1 AND q.operation = 'submit'
                    AND q.waiting_code = '${CLIENT_REFUSED.code}')
   ORDER BY tenant_id || ' ' || on_behalf_of = ANY ($3::text[]), is_recent <> $2, tenant_id, on_behalf_of LIMIT 1`;

async function findLoginProbe(
  tx: EntityManager,
  round: { environment: Environment; wantsRecent: boolean; tried: ReadonlySet<string> },
): Promise<Taxpayer | null> {
  const parameters = [round.environment, round.wantsRecent, [...round.tried]];
  const [taxpayer = null] = await tx.query<Taxpayer[]>(FIND, parameters);
  return taxpayer;
}

function formatTaxpayer({ tenantId, onBehalfOf }: Taxpayer): string {
  return `${tenantId} ${onBehalfOf}`;
}
