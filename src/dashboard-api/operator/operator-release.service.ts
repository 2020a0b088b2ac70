import { Injectable } from '@nestjs/common';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import type { Release } from '../../dispatcher/releases/release-plan.js';
import { SubmissionReleaseService } from '../../dispatcher/releases/submission-release.service.js';
import type { ReleaseDecision, StatedOutcome } from '../../dispatcher/releases/release-decisions.js';
import { AuthoritySubmission } from '../../entities/authority-submission.entity.js';
import { asConflict, OperatorDatabase } from './operator-database.js';

/** What an operator decides of a submission. */
export interface ReleaseRequest {
  readonly decision: ReleaseDecision;
  /** For `adopt`: the authority's uuid of each document that was found there. */
  readonly documents?: readonly { readonly referenceId: string; readonly authorityUuid: string }[];
  /** For `outcome`: what the authority's portal shows. */
  readonly outcomes?: readonly {
    readonly referenceId: string;
    readonly status: StatedOutcome;
    readonly authorityUuid?: string;
  }[];
}

/** The decisions of `queue release`, made in the operators' role and entered under the name of who makes them. */
@Injectable()
export class OperatorReleaseService {
  constructor(
    private readonly database: OperatorDatabase,
    private readonly releases: SubmissionReleaseService,
  ) {}

  /** @throws DashboardError 404 for no such submission; 409 when it is not in doubt, or the authority says otherwise */
  async release(
    submissionId: string,
    { decision, documents = [], outcomes = [] }: ReleaseRequest,
    actor: Actor,
  ): Promise<Release> {
    const dataSource = await this.database.open();
    if (!(await dataSource.manager.existsBy(AuthoritySubmission, { id: submissionId }))) {
      throw new DashboardError('not_found_here', { message: 'There is no submission with this id' });
    }
    const named = documents.map(({ referenceId, authorityUuid }) => `${referenceId}=${authorityUuid}`);
    const stated = outcomes.map(({ authorityUuid = null, ...outcome }) => ({ ...outcome, authorityUuid }));
    return asConflict(() => {
      if (decision === 'outcome') return this.releases.outcome(submissionId, stated, actor);
      if (decision === 'adopt') return this.releases.adopt(submissionId, named, actor);
      return decision === 'resend'
        ? this.releases.resend(submissionId, actor)
        : this.releases.fail(submissionId, actor);
    });
  }
}
