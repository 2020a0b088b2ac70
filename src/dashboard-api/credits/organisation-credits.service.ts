import { Inject, Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Actor, UserActor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { cancelOrder, listOrders, requestOrder, type CreditOrderListing } from '../../credits/credit-orders.js';
import { listSpendableLots, countUsedLastSevenDays } from '../../credits/credit-position.js';
import { type StatementLine, readStatementLines } from '../../credits/credit-statement.js';
import { buildCreditWarnings } from '../../credits/credit-warnings.js';
import { computeLastDayBefore } from '../../credits/expiry.js';
import { countSandboxOnly, sumRemaining } from '../../credits/lots.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { CreditsDto, OrderDto } from './dto/credits.dto.js';

interface Wanted {
  readonly credits: number;
  readonly note?: string | null;
}

/** Credits and credit orders of an organisation. */
@Injectable()
export class OrganisationCreditsService {
  constructor(
    private readonly transactions: DashboardTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  overview(tenantId: string): Promise<CreditsDto> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const lots = await listSpendableLots(tx, tenantId);
      const position = {
        balance: sumRemaining(lots),
        sandboxOnly: countSandboxOnly(lots),
        usedLastSevenDays: await countUsedLastSevenDays(tx, tenantId),
        lots: lots.map((lot) => Object.assign({}, lot, { lastDay: computeLastDayBefore(lot.expiresAt) })),
      };
      const packs = this.configuration.creditPacks.map(({ credits, price }) => ({ credits, price: Number(price) }));
      return { ...position, warnings: buildCreditWarnings(position, now), packs };
    });
  }

  entries(tenantId: string, page: PageRequest): Promise<Page<StatementLine>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const before = page.after === null ? null : Number(page.after);
      const lines = await readStatementLines(tx, { tenantId, before, count: page.limit + 1 });
      return toPage(lines, page, ({ sequence }) => String(sequence));
    });
  }

  orders(tenantId: string, page: PageRequest): Promise<Page<OrderDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const orders = await listOrders(tx, { tenantId, after: page.after, count: page.limit + 1 });
      return toPage(orders.map(toOrder), page, ({ orderId }) => orderId);
    });
  }

  /** @throws DashboardError (409) if too many orders are open */
  order(tenantId: string, { credits, note = null }: Wanted, actor: UserActor): Promise<OrderDto> {
    const price = this.configuration.creditPacks.find((pack) => pack.credits === credits)?.price ?? null;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toOrder(await requestOrder(tx, { tenantId, credits, price, note }, actor)),
    );
  }

  /** @throws DashboardError (404, 409) */
  async cancel(tenantId: string, orderId: string, actor: Actor): Promise<void> {
    if (!isUuid(orderId)) throw new DashboardError('not_found_here', { message: 'There is no order with this id' });
    await this.transactions.inTenant({ tenantId }, ({ tx }) => cancelOrder(tx, { tenantId, orderId }, actor));
  }
}

function toOrder({ tenantId: _tenantId, organisation: _organisation, ...order }: CreditOrderListing): OrderDto {
  return order;
}
