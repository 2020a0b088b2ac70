import { Injectable } from '@nestjs/common';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import type { LineItem, SimplifiedDocument } from '../../documents/simplified-document.js';
import { PAYLOAD_VERSION, readPayload } from '../../documents/stored-payload.js';
import { computePercent, isPercentExact } from '../../documents/tax-percent.js';
import { buildLine, buildRecipient } from '../transactions/build-request.js';
import type { RememberedDto, SoldItemDto } from './dto/sending.dto.js';
import { type InvoiceRow, READ_LATEST_INVOICES } from './remembered.sql.js';

/** Few and small enough that a form which is opened reads little, whatever the organisation has sent. */
const INVOICES_MAX = 50;
const INVOICE_BYTES_MAX = 50_000;
const ITEMS_MAX = 100;

/** Buyers and items of earlier invoices, so that a person need not type them again. */
@Injectable()
export class RememberedService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** Those of the latest valid invoices of the organisation in this environment, each once, the latest first. */
  read(caller: Caller): Promise<RememberedDto> {
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const parameters = [caller.tenantId, caller.environment, INVOICES_MAX, INVOICE_BYTES_MAX];
      const rows = await tx.query<InvoiceRow[]>(READ_LATEST_INVOICES, parameters);
      return remember(rows.flatMap(readInvoice));
    });
  }
}

/** Nothing of an invoice that a newer build has stored. */
function readInvoice({ payload, payloadVersion }: InvoiceRow): SimplifiedDocument[] {
  return payloadVersion > PAYLOAD_VERSION ? [] : [readPayload(payload, payloadVersion)];
}

function remember(invoices: readonly SimplifiedDocument[]): RememberedDto {
  const buyers = new Map<string, RememberedDto['buyers'][number]>();
  const items = new Map<string, SoldItemDto>();
  for (const { recipient, lineItems } of invoices) {
    // A line of a consolidated invoice sums up receipts: nothing that is sold again.
    if (recipient === null) continue;
    const key = `${recipient.tin} ${recipient.idType} ${recipient.idValue} ${recipient.name}`;
    if (!buyers.has(key)) buyers.set(key, buildRecipient(recipient));
    for (const line of lineItems) {
      if (items.size < ITEMS_MAX && !items.has(line.description)) items.set(line.description, toSoldItem(line));
    }
  }
  return { buyers: [...buyers.values()], items: [...items.values()] };
}

function toSoldItem(line: LineItem): SoldItemDto {
  const { description, unitPrice, taxType, taxExemptionReason, classification, unitCode } = buildLine(line);
  const isPercentage = line.unitTax === undefined && line.taxAmount > 0 && isPercentExact(line);
  const taxPercent = isPercentage ? Number(computePercent(line)) : null;
  return { description, unitPrice, taxType, taxExemptionReason, classification, unitCode, taxPercent };
}
