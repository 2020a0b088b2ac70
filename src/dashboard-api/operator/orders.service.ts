import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import {
  confirmOrder,
  type CreditOrderListing,
  type OrderKey,
  listAllOrders,
  refuseOrder,
} from '../../credits/credit-orders.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import { OperatorDatabase } from './operator-database.js';

/** Orders of all organisations, to be confirmed or refused. */
@Injectable()
export class OperatorOrdersService {
  constructor(private readonly database: OperatorDatabase) {}

  list(isOpen: boolean, page: PageRequest): Promise<Page<CreditOrderListing>> {
    return this.database.read(async (manager) => {
      const orders = await listAllOrders(manager, { isOpen, after: page.after, count: page.limit + 1 });
      return toPage(orders, page, ({ orderId }) => orderId);
    });
  }

  /** @throws DashboardError 403, 404 or 409; ValidationError for a day that makes no sense */
  confirm(key: OrderKey, lastDay: string | undefined, actor: Actor): Promise<CreditOrderListing> {
    assertIds(key);
    return this.database.change((tx) => confirmOrder(tx, { ...key, lastDay }, actor));
  }

  /** @throws DashboardError 404 or 409 */
  refuse(key: OrderKey, reason: string, actor: Actor): Promise<CreditOrderListing> {
    assertIds(key);
    return this.database.change((tx) => refuseOrder(tx, { ...key, reason }, actor));
  }
}

function assertIds({ tenantId, orderId }: OrderKey): void {
  if (isUuid(tenantId) && isUuid(orderId)) return;
  throw new DashboardError('not_found_here', { message: 'There is no order with this id' });
}
