import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction } from '../accounts/actions.js';
import { type Actor, appendAudit, type UserActor } from '../accounts/audit.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { ValidationError } from '../errors/api-error.js';
import { SERVICE_NOW, readServiceNow } from '../database/clock.js';
import { CreditOrder } from '../entities/credit-order.entity.js';
import { type Granted, grantCredits } from './credit-ledger.js';
import { findLastDayProblem } from './expiry.js';

export const ORDER_CREDITS_MAX = 1_000_000;
const OPEN_ORDERS_MAX = 20;

/** Operators set `Paid` and `Refused`; the organisation sets `Cancelled`. */
export const ORDER_STATUSES = ['Requested', 'Paid', 'Refused', 'Cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface CreditOrderListing {
  readonly orderId: string;
  readonly tenantId: string;
  readonly organisation: string;
  readonly credits: number;
  /** In RM; null without an agreed price. */
  readonly price: number | null;
  readonly reference: string;
  readonly status: OrderStatus;
  readonly note: string | null;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly decidedAt: Date | null;
  readonly reason: string | null;
  readonly expiresAt: Date | null;
}

export interface OrderKey {
  readonly tenantId: string;
  readonly orderId: string;
}

const SELECT = /* sql */ `
  SELECT o.id AS "orderId", o.tenant_id AS "tenantId", t.name AS organisation, o.credits, o.price::float8 AS price,
         'EI-' || upper(right(o.id::text, 8)) AS reference, o.status, o.note,
         u.email AS "requestedBy", o.requested_at AS "requestedAt", o.decided_at AS "decidedAt", o.reason,
         l.expires_at AS "expiresAt"
    FROM credit_order o
    JOIN tenant t ON t.tenant_id = o.tenant_id
    JOIN user_account u ON u.id = o.requested_by
    LEFT JOIN credit_lot l ON l.tenant_id = o.tenant_id AND l.id = o.lot_id`;

const OF_TENANT = /* sql */ `${SELECT}
   WHERE o.tenant_id = $1 AND ($2::uuid IS NULL OR o.id < $2) ORDER BY o.id DESC LIMIT $3`;

/** Lists orders, newest first, with one more than a page contains. */
export function listOrders(
  tx: EntityManager,
  { tenantId, after, count }: { tenantId: string; after: string | null; count: number },
): Promise<CreditOrderListing[]> {
  return tx.query<CreditOrderListing[]>(OF_TENANT, [tenantId, after, count]);
}

const OF_ALL = /* sql */ `${SELECT}
   WHERE (o.status = 'Requested') = $1 AND ($2::uuid IS NULL OR o.id < $2) ORDER BY o.id DESC LIMIT $3`;

export function listAllOrders(
  tx: EntityManager,
  { isOpen, after, count }: { isOpen: boolean; after: string | null; count: number },
): Promise<CreditOrderListing[]> {
  return tx.query<CreditOrderListing[]>(OF_ALL, [isOpen, after, count]);
}

// Users who left after placing the order count as members, because they could rejoin after confirming it.
const IS_OWN = /* sql */ `
  SELECT FROM credit_order o
   WHERE o.tenant_id = $1 AND o.id = $2
     AND (o.requested_by = $3
          OR EXISTS (SELECT FROM membership m WHERE m.tenant_id = o.tenant_id AND m.user_id = $3)
          OR EXISTS (
            SELECT FROM audit_entry a JOIN user_account u ON u.id = $3
             WHERE a.tenant_id = o.tenant_id AND a.at >= o.requested_at
               AND ((a.action = 'member.left' AND a.user_id = u.id)
                    OR (a.action = 'member.removed' AND a.subject = u.email))))`;

const ONE = /* sql */ `${SELECT} WHERE o.tenant_id = $1 AND o.id = $2`;

async function findOrder(tx: EntityManager, { tenantId, orderId }: OrderKey): Promise<CreditOrderListing> {
  const [order] = await tx.query<CreditOrderListing[]>(ONE, [tenantId, orderId]);
  if (order === undefined) throw new DashboardError('not_found_here', { message: 'There is no order with this id' });
  return order;
}

export interface OrderRequest {
  readonly tenantId: string;
  readonly credits: number;
  /** In RM. Later price changes do not affect the order. */
  readonly price: string | null;
  readonly note: string | null;
}

/** Requests credits. @throws DashboardError (409) if too many orders are open */
export async function requestOrder(
  tx: EntityManager,
  { tenantId, credits, price, note }: OrderRequest,
  actor: UserActor,
): Promise<CreditOrderListing> {
  const orderId = uuidv7();
  if ((await tx.countBy(CreditOrder, { tenantId, status: 'Requested' })) >= OPEN_ORDERS_MAX) {
    const message = `${OPEN_ORDERS_MAX} orders already wait for payment: cancel those that you do not want`;
    throw new DashboardError('state_conflict', { message });
  }
  const requested = { requestedBy: actor.userId, requestedAt: SERVICE_NOW };
  await tx.insert(CreditOrder, { tenantId, id: orderId, credits, price, note, ...requested });
  const details = { orderId, credits, price, note };
  await appendAudit(tx, actor, { tenantId, action: 'order.requested', subject: formatCredits(credits), details });
  return findOrder(tx, { tenantId, orderId });
}

interface OrderDecision {
  readonly status: OrderStatus;
  readonly reason?: string;
  readonly lotId?: string;
}

// Only one of two concurrent decisions finds the order open; the other fails.
async function decide(
  tx: EntityManager,
  order: CreditOrderListing,
  decision: OrderDecision,
  actor: Actor,
): Promise<void> {
  const { affected } = await tx.update(
    CreditOrder,
    { tenantId: order.tenantId, id: order.orderId, status: 'Requested' },
    { ...decision, decidedBy: actor.userId, decidedAt: SERVICE_NOW },
  );
  if (affected === 0) throw buildAlreadyDecidedError(await findOrder(tx, order));
}

function buildAlreadyDecidedError({ status }: CreditOrderListing): DashboardError {
  const message = `This order is already decided (${status}) and was not changed: reload the page`;
  return new DashboardError('state_conflict', { message, facts: { status } });
}

/** @throws DashboardError (404), or 409 for a decided order */
export async function cancelOrder(tx: EntityManager, key: OrderKey, actor: Actor): Promise<void> {
  const order = await findOrder(tx, key);
  await decide(tx, order, { status: 'Cancelled' }, actor);
  await appendDecision(tx, order, { action: 'order.cancelled', actor });
}

/** Refuses an order with a reason for the organisation. @throws DashboardError (404, 409) */
export async function refuseOrder(
  tx: EntityManager,
  { reason, ...key }: OrderKey & { reason: string },
  actor: Actor,
): Promise<CreditOrderListing> {
  const order = await findOrder(tx, key);
  await decide(tx, order, { status: 'Refused', reason }, actor);
  await appendDecision(tx, order, { action: 'order.refused', actor, facts: { reason } });
  return findOrder(tx, key);
}

/**
 * Marks an order as paid and grants its credits once.
 * @param lastDay last valid day in Malaysia, `YYYY-MM-DD`; default 12 months from today (docs/rules.md#credits)
 * @throws DashboardError (403 for the operator's own organisation, 404, 409), ValidationError for an invalid day,
 * OperatorError if the balance would be too large
 */
export async function confirmOrder(
  tx: EntityManager,
  { lastDay, ...key }: OrderKey & { lastDay?: string },
  actor: Actor,
): Promise<CreditOrderListing> {
  const order = await findOrder(tx, key);
  const own = await tx.query<unknown[]>(IS_OWN, [order.tenantId, order.orderId, actor.userId]);
  if (own.length > 0) throw new DashboardError('own_order');
  if (order.status !== 'Requested') throw buildAlreadyDecidedError(order);
  await assertLastDay(tx, lastDay);
  const { lotId, balance, expiresAt }: Granted = await grantCredits(tx, {
    tenantId: order.tenantId,
    credits: order.credits,
    lastDay,
  });
  await decide(tx, order, { status: 'Paid', lotId }, actor);
  await appendDecision(tx, order, { action: 'order.confirmed', actor, facts: { lotId, balance, expiresAt } });
  return findOrder(tx, key);
}

async function assertLastDay(tx: EntityManager, lastDay: string | undefined): Promise<void> {
  const message = lastDay === undefined ? null : findLastDayProblem(lastDay, await readServiceNow(tx));
  if (message === null) return;
  const hint = 'leave it out for twelve months from today';
  throw new ValidationError([{ pointer: '/lastDay', rule: 'last_day', message, hint }]);
}

async function appendDecision(
  tx: EntityManager,
  { tenantId, orderId, credits }: CreditOrderListing,
  { action, actor, facts }: { action: AuditAction; actor: Actor; facts?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const details = { orderId, credits, ...facts };
  await appendAudit(tx, actor, { tenantId, action, subject: formatCredits(credits), details });
}

function formatCredits(credits: number): string {
  return `${credits} credits`;
}
