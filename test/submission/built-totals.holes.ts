// Runs 20,000 bodies instead of 500.
import './built-totals.spec.js';
