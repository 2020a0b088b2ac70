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

/** For a browser to show, which prints it, instead of to keep. */
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
  @ApiOperation({ operationId: 'downloadPdf', summary: 'A valid document as its buyer gets it' })
  @TransactionParam()
  @Parameter('view', 'Shows it in the browser, to be printed.', { enum: [...VIEW] })
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
  @ApiOperation({
    operationId: 'downloadEvidence',
    summary: 'Everything that is stored of an attempt, with a manifest',
  })
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
  @ApiOperation({ operationId: 'downloadPdfs', summary: 'The PDFs of the valid documents of the list' })
  @ListQuery()
  pdfs(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    return this.papers.zipPdfs(caller, readListRequest(query));
  }

  @Get('transactions-evidence.zip')
  @ZipResponse()
  @Access('viewer')
  @ApiOperation({
    operationId: 'downloadEvidenceOfList',
    summary: 'Everything that is stored of the list, with a manifest',
  })
  @ListQuery()
  evidenceOfList(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    return this.papers.zipEvidence(caller, readListRequest(query));
  }
}

/** Documents a response that is a ZIP file, and enters it in the audit log. */
function ZipResponse(): MethodDecorator {
  return applyDecorators(
    RecordedDownload(),
    ApiProduces('application/zip'),
    ApiOkResponse({ schema: { type: 'string', format: 'binary' } }),
  );
}
