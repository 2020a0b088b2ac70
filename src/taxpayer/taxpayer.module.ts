import { Module } from '@nestjs/common';
import { AuthorityModule } from '../authority/authority.module.js';
import { TaxpayerController } from './taxpayer.controller.js';
import { TaxpayerService } from './taxpayer.service.js';

@Module({
  imports: [AuthorityModule],
  controllers: [TaxpayerController],
  providers: [TaxpayerService],
  exports: [TaxpayerService],
})
export class TaxpayerModule {}
