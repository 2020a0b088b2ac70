import { Module } from '@nestjs/common';
import { AuthorityDocuments } from '../../dispatcher/authority-documents.js';
import { AuthorityModule } from '../../authority/authority.module.js';
import { OperatorLimitsController } from './limits.controller.js';
import { OperatorController } from './operator.controller.js';
import { OperatorDatabase } from './operator-database.js';
import { OperatorOrdersController } from './orders.controller.js';
import { OperatorOrders } from './orders.service.js';
import { OperatorPages } from './operator.service.js';
import { OperatorQueueController } from './queue.controller.js';
import { OperatorReleaseService } from './operator-release.service.js';
import { OperatorVerificationsController } from './verifications.controller.js';
import { OperatorVerifications } from './verifications.service.js';

@Module({
  imports: [AuthorityModule],
  controllers: [
    OperatorController,
    OperatorLimitsController,
    OperatorOrdersController,
    OperatorQueueController,
    OperatorVerificationsController,
  ],
  providers: [
    AuthorityDocuments,
    OperatorDatabase,
    OperatorOrders,
    OperatorPages,
    OperatorReleaseService,
    OperatorVerifications,
  ],
})
export class OperatorModule {}
