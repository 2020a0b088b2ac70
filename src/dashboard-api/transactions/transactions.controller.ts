import { Controller, Get, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CancelAcceptedDto } from '../../cancellation/dto/cancel.dto.js';
import { describeResponseHeaders } from '../../common/response-headers.js';
import { Compressed } from '../../http/compression.js';
import { applyResult, type ResponseBody } from '../../http/http-result.js';
import { ApiStrictHandling, readBodyHandling } from '../../http/request-headers.js';
import { readBody } from '../../http/validation/read-body.js';
import { compileShape } from '../../http/validation/shape.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { ApiIdempotencyKey, readIdempotencyKey } from '../../idempotency/idempotency.service.js';
import { CsvResponse, createCsvFile } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { OrganisationEnvironmentParams, parseId, TransactionParam } from '../parameters.js';
import { RecordedDownload } from '../recorded-download.js';
import { CompressedResponse } from '../responses.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { CancelService } from './cancel.service.js';
import { StatusCountsDto, TransactionPageDto, type TransactionRowDto } from './dto/transaction-row.dto.js';
import { CancelDocumentDto, TransactionContentDto, TransactionDto } from './dto/transaction.dto.js';
import { ListQuery, readListRequest } from './list-query.js';
import { POSITION_KINDS } from './search.js';
import { TRANSACTIONS_CSV } from './transactions-csv.js';
import { TransactionDetailService, type Download } from './transaction-detail.service.js';
import { TransactionListService } from './transaction-list.service.js';

const CANCEL = compileShape(CancelDocumentDto);

@ApiTags('Transactions')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class TransactionsController {
  constructor(
    private readonly list: TransactionListService,
    private readonly one: TransactionDetailService,
    private readonly cancellation: CancelService,
  ) {}

  @Get('transactions')
  @Access('viewer')
  @ApiOperation({
    operationId: 'listTransactions',
    summary: 'List documents by their current attempt, or all attempts',
  })
  @ListQuery()
  @PageQuery()
  @CompressedResponse(TransactionPageDto)
  index(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<Page<TransactionRowDto>> {
    const request = readListRequest(query);
    return this.list.list(caller, request, readPage(query, POSITION_KINDS[request.sort]));
  }

  @Get('transaction-counts')
  @Access('viewer')
  @ApiOperation({ operationId: 'countTransactions', summary: 'Count the documents of a list per status' })
  @ListQuery()
  @CompressedResponse(StatusCountsDto)
  count(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StatusCountsDto> {
    return this.list.count(caller, readListRequest(query));
  }

  @Get('transactions.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadTransactions', summary: 'Download the document list as CSV' })
  @ListQuery()
  @CsvResponse('One line per attempt.')
  download(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    const request = readListRequest(query);
    return createCsvFile(TRANSACTIONS_CSV, caller.tenantId, (page) => this.list.list(caller, request, page));
  }

  @Get('transactions/:transactionId')
  @Access('viewer')
  @ApiOperation({ operationId: 'getTransaction', summary: 'Get an attempt with its history and possible actions' })
  @TransactionParam()
  @CompressedResponse(TransactionDto)
  show(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<TransactionDto> {
    return this.one.read(caller, parseId(transactionId));
  }

  @Get('transactions/:transactionId/content')
  @Access('viewer')
  @ApiOperation({
    operationId: 'getTransactionContent',
    summary: 'Get the request of an attempt and its linked documents',
  })
  @TransactionParam()
  @CompressedResponse(TransactionContentDto)
  content(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<TransactionContentDto> {
    return this.one.content(caller, parseId(transactionId));
  }

  @Get('transactions/:transactionId/request.json')
  @Compressed()
  @RecordedDownload()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadRequest', summary: 'Download an attempt as a submit body' })
  @TransactionParam()
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  async request(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<StreamableFile> {
    return toFile(await this.one.request(caller, parseId(transactionId)));
  }

  @Get('transactions/:transactionId/document.json')
  @Compressed()
  @RecordedDownload()
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadBuiltDocument', summary: 'Download the document built for the authority' })
  @TransactionParam()
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  async builtDocument(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<StreamableFile> {
    return toFile(await this.one.builtDocument(caller, parseId(transactionId)));
  }

  @Post('documents/:documentId/cancel')
  @Access('member')
  @ApiOperation({ operationId: 'cancelDocument', summary: 'Cancel a document for one credit' })
  @ApiParam({ name: 'documentId', schema: { type: 'string', format: 'uuid' } })
  @ApiIdempotencyKey()
  @ApiStrictHandling()
  @ApiBody({ type: CancelDocumentDto })
  @ApiAcceptedResponse({
    type: CancelAcceptedDto,
    headers: describeResponseHeaders('X-Credits-Charged', 'X-Credits-Remaining', 'Idempotent-Replayed'),
  })
  async cancel(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('documentId') documentId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const { request } = reply;
    const call = { member, caller, documentId, key: readIdempotencyKey(request), handling: readBodyHandling(request) };
    readBody<CancelDocumentDto>(CANCEL, request.body);
    return applyResult(reply, await this.cancellation.cancel(call, request.body));
  }
}

function toFile({ name, content }: Download): StreamableFile {
  return new StreamableFile(content, {
    type: 'application/json; charset=utf-8',
    disposition: `attachment; filename="${name}"`,
    length: content.length,
  });
}
