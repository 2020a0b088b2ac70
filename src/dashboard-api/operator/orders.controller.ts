import { Body, Controller, Get, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { confirmOrder, listAllOrders, type OrderKey, refuseOrder } from '../../credits/credit-orders.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import { ORDER_COLUMNS } from '../credits/orders-csv.js';
import { CsvResponse, createCsvFile, type CsvFile } from '../csv.js';
import { OPERATORS } from '../streamed-file.js';
import { type Page, PageQuery, type PageRequest, readPage, toPage } from '../cursor.js';
import { checkParameters, createChoiceRule, readParameter } from '../parameters.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentActor } from '../session/access.js';
import { ConfirmOrderDto, OperatorOrderDto, OperatorOrdersDto, RefuseOrderDto } from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';

const ORDERS_FILE = {
  name: 'credit-orders',
  columns: [
    ...ORDER_COLUMNS,
    { title: 'Organisation', value: ({ organisation }) => organisation },
    { title: 'Organisation id', value: ({ tenantId }) => tenantId },
  ],
} satisfies CsvFile<OperatorOrderDto>;

const STATUSES = ['open', 'decided'];

function isForOpen(query: unknown): boolean {
  checkParameters(query, { status: createChoiceRule(STATUSES, 'leave it out for open') });
  return readParameter(query, 'status') !== 'decided';
}

function StatusQuery(): MethodDecorator {
  return ApiQuery({ name: 'status', required: false, enum: STATUSES, description: '`open` by default.' });
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorOrdersController {
  constructor(private readonly database: OperatorDatabase) {}

  @Get('orders')
  @Access('operator')
  @PageQuery()
  @StatusQuery()
  @ApiOperation({
    operationId: 'listAllCreditOrders',
    summary: 'List credit orders of all organisations, newest first',
  })
  @CompressedResponse(OperatorOrdersDto)
  list(@Query() query: unknown): Promise<OperatorOrdersDto> {
    return this.read(isForOpen(query), readPage(query));
  }

  @Get('orders.csv')
  @Access('operator')
  @StatusQuery()
  @ApiOperation({
    operationId: 'downloadAllCreditOrders',
    summary: 'Download credit orders of all organisations as CSV',
  })
  @CsvResponse('One line per order.')
  file(@Query() query: unknown): Promise<StreamableFile> {
    const isOpen = isForOpen(query);
    return createCsvFile(ORDERS_FILE, OPERATORS, (page) => this.read(isOpen, page));
  }

  @Post('orders/:tenantId/:orderId/confirm')
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'confirmCreditOrder', summary: 'Confirm the payment of an order and grant its credits' })
  @OkResponse(OperatorOrderDto)
  confirm(
    @Param() key: OrderKey,
    @Body(readAs(ConfirmOrderDto)) { lastDay }: ConfirmOrderDto,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    assertIds(key);
    return this.database.change((tx) => confirmOrder(tx, { ...key, lastDay }, actor));
  }

  @Post('orders/:tenantId/:orderId/refuse')
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'refuseCreditOrder', summary: 'Refuse an order' })
  @OkResponse(OperatorOrderDto)
  refuse(
    @Param() key: OrderKey,
    @Body(readAs(RefuseOrderDto)) { reason }: RefuseOrderDto,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    assertIds(key);
    return this.database.change((tx) => refuseOrder(tx, { ...key, reason }, actor));
  }

  private read(isOpen: boolean, page: PageRequest): Promise<Page<OperatorOrderDto>> {
    return this.database.read(async (manager) => {
      const orders = await listAllOrders(manager, { isOpen, after: page.after, count: page.limit + 1 });
      return toPage(orders, page, ({ orderId }) => orderId);
    });
  }
}

function assertIds({ tenantId, orderId }: OrderKey): void {
  if (isUuid(tenantId) && isUuid(orderId)) return;
  throw new DashboardError('not_found_here', { message: 'There is no order with this id' });
}
