import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { ConfirmsAccess } from '../accounts/api-keys/access.hook.js';
import { appendAudit, NO_ORGANISATION } from '../accounts/audit.js';
import { TenantTransactions } from '../database/in-tenant.js';
import { getSession, toActor } from './session/access.js';

const FILE_NAME = /filename="([^"]*)"/;
const FILTER_CHARACTERS_MAX = 100;
/** Stored in full because it identifies the downloaded documents. The list limits the number of ids. */
const NAMES_DOCUMENTS = 'transactionIds';

/** Records a download and its filters in the audit log before sending the first byte. */
@Injectable()
class DownloadRecorder implements NestInterceptor {
  constructor(private readonly transactions: TenantTransactions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      mergeMap(async (file: unknown) => {
        if (file instanceof StreamableFile) await this.record(request, file);
        return file;
      }),
    );
  }

  private async record(request: FastifyRequest, file: StreamableFile): Promise<void> {
    const { environment, ...params } = request.params as { tenantId?: string; environment?: string };
    const tenantId = params.tenantId?.toLowerCase() ?? NO_ORGANISATION;
    const [, subject = ''] = FILE_NAME.exec(String(file.getHeaders().disposition)) ?? [];
    const details = { environment, filters: readFilters(request.query) };
    try {
      await this.transactions.inTenant({ tenantId }, ({ tx }) =>
        appendAudit(tx, toActor(request, getSession(request)), {
          tenantId,
          action: 'file.downloaded',
          subject,
          details,
        }),
      );
    } catch (error) {
      file.getStream().destroy();
      throw error;
    }
  }
}

/** Records the downloads of a handler in the audit log, and aborts a download if the user loses access. */
export function RecordedDownload(): MethodDecorator {
  return applyDecorators(UseInterceptors(DownloadRecorder), ConfirmsAccess());
}

function readFilters(query: unknown): Record<string, string> | undefined {
  const given = Object.entries(query as Record<string, unknown>)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .map(([name, value]) => [toKept(name), name === NAMES_DOCUMENTS ? value : toKept(value)]);
  return given.length === 0 ? undefined : (Object.fromEntries(given) as Record<string, string>);
}

/** Truncates a string and replaces NUL and unpaired surrogates, which PostgreSQL rejects. */
function toKept(text: string): string {
  return text.slice(0, FILTER_CHARACTERS_MAX).replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
