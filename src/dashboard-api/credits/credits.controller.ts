import { Body, Controller, Delete, Get, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Problem } from '../../errors/problem.js';
import { readAs } from '../../http/validation/read-body.js';
import { ORDER_CREDITS_MAX } from '../../credits/credit-orders.js';
import type { CreditKind, StatementLine } from '../../credits/credit-statement.js';
import { CsvResponse, createCsvFile, type CsvFile, createInstantColumn } from '../csv.js';
import { PageQuery, readPage } from '../cursor.js';
import { CompressedResponse, NoContentResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { OrganisationCreditsService } from './organisation-credits.service.js';
import { ORDER_COLUMNS } from './orders-csv.js';
import { CreditEntriesDto, CreditsDto, OrderCreditsDto, OrderDto, OrdersDto } from './dto/credits.dto.js';

const KIND_WORDS: Readonly<Record<CreditKind, string>> = {
  submit: 'Submission',
  cancel: 'Cancellation',
  grant: 'Credits added',
  expire: 'Expiry',
};

const STATEMENT_FILE: CsvFile<StatementLine> = {
  name: 'credit-statement',
  columns: [
    { title: 'Entry', value: ({ sequence }) => sequence },
    createInstantColumn('When', ({ at }) => at),
    { title: 'Kind', value: ({ kind }) => KIND_WORDS[kind] },
    { title: 'What for', value: ({ purpose }) => purpose },
    { title: 'Environment', value: ({ environment }) => environment },
    { title: 'Credits', value: ({ amount }) => amount },
    { title: 'Balance', value: ({ balanceAfter }) => balanceAfter },
    { title: 'Batch', value: ({ submissionBatchId }) => submissionBatchId },
  ],
};

@ApiTags('Credits')
@ApiParam({ name: 'tenantId', format: 'uuid' })
@Controller('dashboard/organisations/:tenantId/credits')
export class CreditsController {
  constructor(private readonly credits: OrganisationCreditsService) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ operationId: 'getCredits', summary: 'Get the credits of the organisation, with lots and warnings' })
  @CompressedResponse(CreditsDto)
  show(@CurrentMember() { tenantId }: Member): Promise<CreditsDto> {
    return this.credits.overview(tenantId);
  }

  @Get('entries')
  @Access('viewer')
  @PageQuery()
  @ApiOperation({
    operationId: 'listCreditEntries',
    summary: 'List the credit statement with its running balance, newest first',
  })
  @CompressedResponse(CreditEntriesDto)
  entries(@CurrentMember() { tenantId }: Member, @Query() query: unknown): Promise<CreditEntriesDto> {
    return this.credits.entries(tenantId, readPage(query, 'sequence'));
  }

  @Get('entries.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadCreditEntries', summary: 'Download the credit statement as CSV' })
  @CsvResponse('One line per entry.')
  entriesFile(@CurrentMember() { tenantId }: Member): Promise<StreamableFile> {
    return createCsvFile(STATEMENT_FILE, tenantId, (page) => this.credits.entries(tenantId, page));
  }

  @Get('orders')
  @Access('viewer')
  @PageQuery()
  @ApiOperation({ operationId: 'listCreditOrders', summary: 'List credit orders, newest first' })
  @CompressedResponse(OrdersDto)
  orders(@CurrentMember() { tenantId }: Member, @Query() query: unknown): Promise<OrdersDto> {
    return this.credits.orders(tenantId, readPage(query));
  }

  @Get('orders.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadCreditOrders', summary: 'Download the credit orders as CSV' })
  @CsvResponse('One line per order.')
  ordersFile(@CurrentMember() { tenantId }: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'credit-orders', columns: ORDER_COLUMNS }, tenantId, (page) =>
      this.credits.orders(tenantId, page),
    );
  }

  @Post('orders')
  @Access('member')
  @ApiOperation({ operationId: 'orderCredits', summary: 'Order credits. An operator confirms the payment' })
  @ApiCreatedResponse({ type: OrderDto })
  order(
    @CurrentMember() { tenantId, actor }: Member,
    @Body(readAs(OrderCreditsDto, checkCredits)) body: OrderCreditsDto,
  ): Promise<OrderDto> {
    return this.credits.order(tenantId, body, actor);
  }

  @Delete('orders/:orderId')
  @Access('member')
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'cancelCreditOrder', summary: 'Cancel an open order' })
  @NoContentResponse()
  cancel(@CurrentMember() { tenantId, actor }: Member, @Param('orderId') orderId: string): Promise<void> {
    return this.credits.cancel(tenantId, orderId, actor);
  }
}

function checkCredits({ credits }: OrderCreditsDto): Problem[] {
  if (credits <= ORDER_CREDITS_MAX) return [];
  const most = ORDER_CREDITS_MAX.toLocaleString('en');
  const hint = 'split a larger order into several orders';
  return [{ pointer: '/credits', rule: 'credits_maximum', message: `must be at most ${most}`, hint }];
}
