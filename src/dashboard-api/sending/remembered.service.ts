import { Injectable } from '@nestjs/common';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { TAX_NOT_APPLICABLE, needsDefaultTaxType } from '../../documents/authority-document/line-defaults.js';
import type { LineItem, SimplifiedDocument } from '../../documents/simplified-document.js';
import { choosePercents, findPercent } from '../../documents/tax-percent.js';
import { buildLine, buildRecipient } from '../transactions/build-request.js';
import { type RememberedDto, SOLD_ITEM_MEMBERS, type SoldItemDto } from './dto/sending.dto.js';
import { SHOWN_STATUS_SQL } from '../transactions/shown-status.js';

/** Limit how much data opening a form reads. */
const INVOICES_MAX = 50;
const INVOICE_BYTES_MAX = 50_000;
const ITEMS_MAX = 100;

/** Suggests buyers and items from earlier invoices in forms. */
@Injectable()
export class RememberedService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** Returns distinct buyers and items of the latest valid invoices, latest first. */
  read(caller: Caller): Promise<RememberedDto> {
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const parameters = [caller.tenantId, caller.environment, INVOICES_MAX, INVOICE_BYTES_MAX];
      const rows = await tx.query<InvoiceRow[]>(READ_LATEST_INVOICES, parameters);
      return remember(rows.map(({ payload }) => payload as SimplifiedDocument));
    });
  }
}

function remember(invoices: readonly SimplifiedDocument[]): RememberedDto {
  const buyers = new Map<string, RememberedDto['buyers'][number]>();
  const items = new Map<string, SoldItemDto>();
  for (const { recipient, lineItems } of invoices) {
    // The lines of consolidated invoices are sums of receipts.
    if (recipient === null) continue;
    const key = `${recipient.tin} ${recipient.idType} ${recipient.idValue} ${recipient.name}`;
    if (!buyers.has(key)) buyers.set(key, buildRecipient(recipient));
    const percents = choosePercents(lineItems.map((line) => ({ line, codes: { taxType: describeTaxType(line) } })));
    for (const [index, line] of lineItems.entries()) {
      if (items.size === ITEMS_MAX || items.has(line.description)) continue;
      items.set(line.description, toSoldItem(line, percents[index]));
    }
  }
  return { buyers: [...buyers.values()], items: [...items.values()] };
}

/** Returns the same name for every default tax type, because the default at that time is not stored. */
function describeTaxType(line: LineItem): string {
  return line.taxType ?? (needsDefaultTaxType(line) ? 'default' : TAX_NOT_APPLICABLE);
}

/** Suggests a percentage only if it results in the stored tax. */
function toSoldItem(line: LineItem, percent: ReturnType<typeof choosePercents>[number]): SoldItemDto {
  const sent = buildLine(line);
  const members = Object.fromEntries(SOLD_ITEM_MEMBERS.map((name) => [name, sent[name]])) as Omit<
    SoldItemDto,
    'taxPercent'
  >;
  const isRemembered = line.taxAmount > 0 && (line.taxRate !== undefined || findPercent(line) !== undefined);
  const taxPercent = isRemembered && percent !== null ? Number(percent) : null;
  return { ...members, taxPercent };
}

/**
 * Reads the latest valid invoices from one range of ix_document_transaction_list, without large ones. Parameters:
 * tenant, environment, maximum number of invoices, maximum bytes of an invoice.
 */
export const READ_LATEST_INVOICES = /* sql */ `
SELECT payload
  FROM (SELECT id, payload, wire_bytes_max FROM document_transaction
         WHERE tenant_id = $1 AND environment = $2 AND document_type = 'invoice' AND ${SHOWN_STATUS_SQL} = 'Valid'
         ORDER BY id DESC LIMIT $3::integer) latest
 WHERE wire_bytes_max <= $4::integer
 ORDER BY id DESC`;

interface InvoiceRow {
  readonly payload: unknown;
}
