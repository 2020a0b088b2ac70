import { Module } from '@nestjs/common';
import { TaxpayerModule } from '../../taxpayer/taxpayer.module.js';
import { NextNumbersService } from './next-numbers.service.js';
import { RememberedService } from './remembered.service.js';
import { SendingController } from './sending.controller.js';

/** What the form for a document asks while it is filled in. */
@Module({
  imports: [TaxpayerModule],
  controllers: [SendingController],
  providers: [NextNumbersService, RememberedService],
})
export class SendingModule {}
