import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AccountsService, normaliseEmail } from '../../accounts/accounts.service.js';
import { hashPassword } from '../../accounts/password.js';
import { assertPasswordIsGood } from '../../accounts/password-rules.js';
import { type Origin, SessionsService } from '../../accounts/sessions.service.js';
import { type Actor, appendAudit } from '../../accounts/audit.js';
import { toNetwork } from '../../common/network.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { nameCredits } from '../../credits/lots.js';
import { grantSignUpCredits } from '../../credits/sign-up-credits.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { EMPTY_PROFILE } from '../../tenants/tenant-profile.js';
import type { SignUpDto } from './dto/session.dto.js';

@Injectable()
export class SignUpService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Creates a user and an organisation that the user owns, and opens a session.
   * @returns the secret of the session; null if the e-mail address has an account, which the response must not reveal
   * @throws DashboardError (429) after too many sign-ups from the network
   * @throws ValidationError (400) for a weak password
   */
  async signUp({ email, name, password, organisationName }: SignUpDto, origin: Origin): Promise<string | null> {
    await this.accounts.countSignUp(origin);
    await assertPasswordIsGood(password, { email, organisations: [{ name: organisationName }] }, '/password');
    const passwordHash = await hashPassword(password, toNetwork(origin.ip));
    const tenantId = uuidv7();
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const userId = await this.accounts.createUser(tx, { email, name, passwordHash });
      if (userId === null) return null;
      await tx.insert(Tenant, { tenantId, ...EMPTY_PROFILE, name: organisationName, createdAt: now });
      await this.accounts.addMember(tx, { tenantId, userId, role: 'owner' });
      const actor = { userId, email: normaliseEmail(email), ip: origin.ip };
      await appendAudit(tx, actor, { tenantId, action: 'organisation.created', subject: organisationName });
      await this.grantCredits(tx, { tenantId, now, actor });
      return this.sessions.open(tx, userId, origin);
    });
  }

  private async grantCredits(
    tx: EntityManager,
    { tenantId, now, actor }: { tenantId: string; now: Date; actor: Actor },
  ): Promise<void> {
    const { signUpSandboxCredits: credits, authorities } = this.configuration;
    if (credits === 0 || authorities.sandbox === undefined) return;
    const details = { credits, environment: 'sandbox', ...(await grantSignUpCredits(tx, { credits, now })) };
    const subject = nameCredits(credits, 'sandbox');
    await appendAudit(tx, actor, { tenantId, action: 'credits.granted', subject, details });
  }
}
