// Sends each text to each field, because `npm run check -- holes` sets HOLES.
import './hostile-texts.e2e.spec.js';
