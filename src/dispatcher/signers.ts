import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Signer } from '../common/signer.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../config/environment.js';

// A certification authority takes up to two weeks to issue a successor.
const WARNED_DAYS = 30;

/** The signing certificates of the environments. */
@Injectable()
export class Signers implements OnModuleInit {
  private readonly logger = new Logger(Signers.name);

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {}

  /** Null: the environment's documents are sent unsigned. */
  of(environment: Environment): Signer | null {
    return this.configuration.authorities[environment]?.signer ?? null;
  }

  onModuleInit(): void {
    for (const environment of ENVIRONMENTS) {
      const expiresInDays = this.of(environment)?.expiresInDays ?? WARNED_DAYS;
      if (expiresInDays >= WARNED_DAYS) continue;
      this.logger.warn(
        `The signing certificate of ${environment} expires in ${expiresInDays} days; nothing is sent after that. ` +
          `Configure its successor in AUTHORITY_${environment.toUpperCase()}_SIGNING_CERT and _SIGNING_KEY.`,
      );
    }
  }
}
