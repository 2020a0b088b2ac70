import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../../accounts/audit.js';
import { Compressed } from '../../http/compression.js';
import { readAs } from '../../http/validation/read-body.js';
import { ORDER_COLUMNS } from '../credits/orders-csv.js';
import { CsvResponse, createCsvFile, type CsvFile } from '../csv.js';
import { OPERATORS } from '../streamed-file.js';
import { PageQuery, readPage } from '../cursor.js';
import { checkParameters, createChoiceRule, readParameter } from '../query-parameters.js';
import { Access, CurrentActor } from '../session/access.js';
import { ConfirmOrderDto, OperatorOrderDto, OperatorOrdersDto, RefuseOrderDto } from './dto/operator.dto.js';
import { OperatorOrdersService } from './orders.service.js';

const ORDERS_FILE = {
  name: 'credit-orders',
  columns: [
    ...ORDER_COLUMNS,
    { title: 'Organisation', value: ({ organisation }) => organisation },
    { title: 'Organisation id', value: ({ tenantId }) => tenantId },
  ],
} satisfies CsvFile<OperatorOrderDto>;

const STATUSES = ['open', 'decided'];

/** @throws ValidationError (400) naming the parameter */
function isForOpen(query: unknown): boolean {
  checkParameters(query, { status: createChoiceRule(STATUSES, 'leave it out for open') });
  return readParameter(query, 'status') !== 'decided';
}

function StatusQuery(): MethodDecorator {
  return ApiQuery({ name: 'status', required: false, enum: STATUSES, description: '`open` when left out.' });
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorOrdersController {
  constructor(private readonly orders: OperatorOrdersService) {}

  @Get('orders')
  @Compressed()
  @Access('operator')
  @PageQuery()
  @StatusQuery()
  @ApiOperation({ operationId: 'listAllCreditOrders', summary: 'Orders of all organisations, the newest first' })
  @ApiOkResponse({ type: OperatorOrdersDto })
  list(@Query() query: unknown): Promise<OperatorOrdersDto> {
    return this.orders.list(isForOpen(query), readPage(query));
  }

  @Get('orders.csv')
  @Access('operator')
  @StatusQuery()
  @ApiOperation({ operationId: 'downloadAllCreditOrders', summary: 'The same list as CSV' })
  @CsvResponse('A line for each order.')
  file(@Query() query: unknown): Promise<StreamableFile> {
    const isOpen = isForOpen(query);
    return createCsvFile(ORDERS_FILE, OPERATORS, (page) => this.orders.list(isOpen, page));
  }

  @Post('orders/:tenantId/:orderId/confirm')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'confirmCreditOrder', summary: 'It was paid: its credits are granted, once' })
  @ApiOkResponse({ type: OperatorOrderDto })
  confirm(
    @Param() { tenantId, orderId }: { tenantId: string; orderId: string },
    @Body(readAs(ConfirmOrderDto)) { lastDay }: ConfirmOrderDto,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    return this.orders.confirm({ tenantId, orderId }, lastDay, actor);
  }

  @Post('orders/:tenantId/:orderId/refuse')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'refuseCreditOrder', summary: 'It will not be paid: nothing is granted' })
  @ApiOkResponse({ type: OperatorOrderDto })
  refuse(
    @Param() { tenantId, orderId }: { tenantId: string; orderId: string },
    @Body(readAs(RefuseOrderDto)) { reason }: RefuseOrderDto,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    return this.orders.refuse({ tenantId, orderId }, reason, actor);
  }
}
