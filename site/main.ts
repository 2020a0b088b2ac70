import { packClient } from './pack-client.js';
import { writeSite } from './write-site.js';

// `npm run build`

packClient(writeSite());
