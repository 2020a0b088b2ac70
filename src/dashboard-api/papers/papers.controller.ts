import { applyDecorators, Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import {
  checkParameters,
  createChoiceRule,
  Parameter,
  readParameter,
  OrganisationEnvironmentParams,
  parseId,
  TransactionParam,
} from '../parameters.js';
import { RecordedDownload } from '../recorded-download.js';
import { Access, MemberAsCaller } from '../session/access.js';
import { ListQuery, readListRequest } from '../transactions/list-query.js';
import { PapersService } from './papers.service.js';

const VIEW = ['print'] as const;
const VIEW_RULES = { view: createChoiceRule(VIEW, 'leave it out to download the file') };

@ApiTags('Papers')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class PapersController {
  constructor(private readonly papers: PapersService) {}

  @Get('transactions/:transactionId/document.pdf')
  @RecordedDownload()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadPdf', summary: 'Download the PDF of a valid document' })
  @TransactionParam()
  @Parameter('view', 'Opens the file in the browser for printing.', { enum: [...VIEW] })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async pdf(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
    @Query() query: unknown,
  ): Promise<StreamableFile> {
    checkParameters(query, VIEW_RULES);
    const { name, content } = await this.papers.printPdf(caller, parseId(transactionId));
    const kind = readParameter(query, 'view') === null ? 'attachment' : 'inline';
    return new StreamableFile(content, {
      type: 'application/pdf',
      disposition: `${kind}; filename="${name}"`,
      length: content.length,
    });
  }

  @Get('transactions/:transactionId/evidence.zip')
  @ZipResponse()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadEvidence', summary: 'Download the evidence of an attempt' })
  @TransactionParam()
  evidence(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<StreamableFile> {
    return this.papers.zipOneEvidence(caller, parseId(transactionId));
  }

  @Get('transactions-pdf.zip')
  @ZipResponse()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadPdfs', summary: 'Download the PDFs of all valid documents of the list' })
  @ListQuery()
  pdfs(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    return this.papers.zipPdfs(caller, readListRequest(query));
  }

  @Get('transactions-evidence.zip')
  @ZipResponse()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadEvidenceOfList', summary: 'Download the evidence of all attempts of the list' })
  @ListQuery()
  evidenceOfList(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    return this.papers.zipEvidence(caller, readListRequest(query));
  }
}

/** Describes a ZIP response and records each download in the audit log. */
function ZipResponse(): MethodDecorator {
  return applyDecorators(
    RecordedDownload(),
    ApiProduces('application/zip'),
    ApiOkResponse({ schema: { type: 'string', format: 'binary' } }),
  );
}
