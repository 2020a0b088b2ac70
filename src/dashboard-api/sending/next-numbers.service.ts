import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { NextNumberDto } from './dto/sending.dto.js';
import { listNextNumbers } from './next-numbers.js';
import { FIND_FREE_NUMBER, type NumberRow, READ_LAST_NUMBER } from './next-numbers.sql.js';

/** How many numbers are looked at; a longer run of numbers that are used gives no suggestion. */
const CANDIDATES = 1_000;

/** Suggests the number of the next document, so that a person need not look it up. */
@Injectable()
export class NextNumbersService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** For each document type, the first unused number after the last that was sent by hand, or else after the last. */
  read(caller: Caller): Promise<NextNumberDto[]> {
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const found: NextNumberDto[] = [];
      for (const documentType of DOCUMENT_TYPES) {
        const referenceId = await findNext(tx, caller, documentType);
        if (referenceId !== null) found.push({ documentType, referenceId });
      }
      return found;
    });
  }
}

async function findNext(tx: EntityManager, caller: Caller, documentType: DocumentType): Promise<string | null> {
  const scope = [caller.tenantId, caller.environment, documentType];
  const [last] = await tx.query<NumberRow[]>(READ_LAST_NUMBER, scope);
  if (last === undefined) return null;
  const candidates = listNextNumbers(last.referenceId, CANDIDATES);
  const [free] = await tx.query<NumberRow[]>(FIND_FREE_NUMBER, [...scope, candidates]);
  return free?.referenceId ?? null;
}
