import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { readBodyHandling } from '../http/strict-handling.decorator.js';
import type { PreparedSubmit } from './prepare-submit.js';
import { SubmitWorkers } from './submit-workers.js';

const NO_BODY = Buffer.from('null');

/**
 * Prepares the body of a submit, before the handler's parameters are read: what is not JSON is refused before a missing
 * idempotency-key is (docs/rules.md#order-of-checks).
 */
@Injectable()
export class SubmitBodyInterceptor implements NestInterceptor {
  constructor(private readonly workers: SubmitWorkers) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Body: Buffer | PreparedSubmit | undefined }>>();
    const { body: bytes = NO_BODY, receivedAt, reservation } = request;
    if (!Buffer.isBuffer(bytes) || receivedAt === undefined) {
      throw new Error('A submit needs a route that keeps the bytes of its body, and asks for a key or a session');
    }
    const { isStrict } = readBodyHandling(request);
    // Only a large body, which has a reservation, waits for its organisation's turn.
    const tenantId = reservation?.tenantId ?? '';
    request.body = await this.workers.prepare(bytes, { now: receivedAt, isStrict }, tenantId);
    return next.handle();
  }
}
