import type { CreditOrderListing } from '../../credits/credit-orders.js';
import type { OrderDto } from './dto/credits.dto.js';

/** An order without what the page says already: whose it is. */
export function toOrder({ tenantId: _tenantId, organisation: _organisation, ...order }: CreditOrderListing): OrderDto {
  return order;
}
