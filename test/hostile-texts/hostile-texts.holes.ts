// Each of the twelve texts for each field: `npm run check -- holes` sets HOLES.
import './hostile-texts.e2e.spec.js';
