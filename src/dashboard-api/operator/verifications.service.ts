import { Injectable } from '@nestjs/common';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { decide, type OperatorDecision } from '../../tenants/verification/decisions.js';
import { readEvidence, type VerificationEvidence } from '../../tenants/verification/evidence.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import { OperatorDatabase } from './operator-database.js';

/** Whose TIN is whose, to be decided. */
@Injectable()
export class OperatorVerificationsService {
  constructor(private readonly database: OperatorDatabase) {}

  list(filter: { tenantId: string | null; isOpen: boolean }, page: PageRequest): Promise<Page<VerificationEvidence>> {
    return this.database.read(async (manager) => {
      const rows = await readEvidence(manager, { ...filter, after: page.after, count: page.limit + 1 });
      return toPage(rows, page, ({ tenantId }) => tenantId);
    });
  }

  /** @throws DashboardError 404 for no such organisation; 409 when it cannot be decided so, saying why */
  decide(decision: OperatorDecision, actor: Actor): Promise<VerificationEvidence> {
    return this.database.change(async (tx) => {
      const isKnown = await tx.existsBy(Tenant, { tenantId: decision.tenantId });
      if (!isKnown) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
      return decide(tx, decision, actor);
    });
  }
}
