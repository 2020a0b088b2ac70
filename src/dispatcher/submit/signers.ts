import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Signer } from '../../common/signing/signer.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import type { SigningError } from './build-member.js';
import type { QueueWait } from '../queue/tenant-queues.js';

const CERTIFICATE_EXPIRED: QueueWait = { code: 'signing_certificate_expired', seconds: 60, secondsMax: 60 };
const SIGNING_FAILED: QueueWait = { code: 'signing_failed', seconds: 60, secondsMax: 60 };

// A certification authority takes up to two weeks to issue a new certificate.
const WARNED_DAYS = 30;

@Injectable()
export class Signers implements OnModuleInit {
  private readonly logger = new Logger(Signers.name);
  private readonly failedUntil = new Map<Environment, number>();

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {}

  forEnvironment(environment: Environment): Signer | null {
    return this.configuration.authorities[environment]?.signer ?? null;
  }

  /** Returns why documents of the environment cannot be signed now, or null if they can. */
  findWait(environment: Environment, now: Date): QueueWait | null {
    const signer = this.forEnvironment(environment);
    if (signer === null) return null;
    if (now > signer.certificate.validTo) return CERTIFICATE_EXPIRED;
    return performance.now() < (this.failedUntil.get(environment) ?? 0) ? SIGNING_FAILED : null;
  }

  recordFailure(environment: Environment, { message }: SigningError): void {
    this.failedUntil.set(environment, performance.now() + SIGNING_FAILED.seconds * 1_000);
    this.logger.error(`Documents of ${environment} cannot be signed and are not sent: ${message}`);
  }

  onModuleInit(): void {
    for (const environment of ENVIRONMENTS) {
      const expiresInDays = this.forEnvironment(environment)?.expiresInDays ?? WARNED_DAYS;
      if (expiresInDays >= WARNED_DAYS) continue;
      this.logger.warn(
        `The signing certificate of ${environment} expires in ${expiresInDays} days. No documents are sent after that. ` +
          `Configure its successor in AUTHORITY_${environment.toUpperCase()}_SIGNING_CERT and _SIGNING_KEY.`,
      );
    }
  }
}
