import { Module } from '@nestjs/common';
import { CreditAudit } from './credit-audit.js';
import { CreditLedger } from './credit-ledger.js';
import { CreditsService } from './credits.service.js';

const PROVIDERS = [CreditAudit, CreditLedger, CreditsService];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CreditsModule {}
