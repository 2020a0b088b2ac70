import { type CodeRow, INDUSTRIES } from './code-lists.js';

/** Common business names that MSIC does not contain, with the possible codes, most likely first. */
export const INDUSTRY_WORDS: readonly (readonly [words: string, ...codes: string[]])[] = [
  ['laundry, dobi, dry cleaner, laundromat', '96011', '96013', '96097'],
  ['clinic, klinik, doctor, doktor, gp', '86201', '86202', '86203'],
  ['dentist, gigi', '86203'],
  ['pharmacy, farmasi, drugstore, chemist', '47721', '46421'],
  ['grocery, groceries, kedai runcit, sundry shop, runcit', '47111', '47113', '47114', '47112'],
  ['minimart, pasar mini', '47113', '47114'],
  ['pasar raya, pasaraya', '47112', '47193'],
  ['restoran, restaurant, kedai makan, eatery, mamak', '56101', '56106', '56107'],
  ['kopitiam, kedai kopi, cafe, kafe', '56302', '56102', '56301'],
  ['warung, gerai, gerai makan, hawker stall', '56106', '56107'],
  ['food truck', '56105'],
  ['catering, caterer, katering', '56210', '56290'],
  ['bakery, kedai roti, kedai kek, cake shop, patisserie', '47216', '10712', '46324'],
  ['workshop, bengkel, car repair, mechanic, mekanik, garage, car service', '45201', '45205', '45202'],
  ['motorcycle repair, motorcycle workshop, bengkel motor', '45403'],
  ['tyre, tayar, spare part, alat ganti', '45300', '45205'],
  ['car wash, cuci kereta', '45203'],
  ['lawyer, peguam, law firm, solicitor, advocate, guaman', '69100'],
  ['accountant, akauntan, auditor, bookkeeper, tax agent, company secretary', '69200'],
  ['handphone, telefon, phone shop, mobile phone, smartphone', '47413', '95122', '46521'],
  ['phone repair, handphone repair', '95122', '95121'],
  ['hair salon, salon, saloon, barber, hairdresser, gunting rambut, beauty parlour', '96020'],
  ['spa, massage, urut', '96091'],
  ['tuition centre, tuition, tuisyen, pusat tuisyen', '85491'],
  ['kindergarten, tadika, taska, nursery school', '85102', '85101'],
  ['driving school, sekolah memandu', '85492'],
  ['plumber, plumbing, tukang paip', '43224', '43229'],
  ['electrician, wireman, tukang elektrik, wiring', '43211', '43219'],
  ['aircon, air conditioner, penghawa dingin', '43229', '46596'],
  ['renovation, ubah suai, contractor, kontraktor, builder', '41009', '43909'],
  ['florist, kedai bunga, flower shop', '47734', '46442'],
  ['software, app developer, programmer, web design, website, saas', '62010', '62021', '62099'],
  ['it support, computer service', '62021', '62099', '62022'],
  ['computer repair, laptop repair', '95112', '95113'],
  ['computer shop, laptop, kedai komputer', '47411', '46510'],
  ['courier, kurier, parcel delivery, delivery rider, penghantaran', '53200', '49230'],
  ['lorry, lori, trucking, haulage, transporter', '49230'],
  ['taxi, teksi, e hailing, grab driver', '49224'],
  ['freight forwarder, shipping agent', '52291'],
  ['cleaning, cleaner, pencuci, pembersihan', '81210', '81291', '81299'],
  ['pest control', '81295'],
  ['farm, ladang, farmer, petani, kebun', '01500', '01136', '01261'],
  ['chicken farm, poultry farm, ayam', '01465', '01468', '10102'],
  ['palm oil estate, kelapa sawit', '01261', '01262'],
  ['fish farm, ternak ikan', '03221', '03211'],
  ['hardware shop, kedai perkakasan, perkakasan', '47520', '46639'],
  ['boutique, butik, kedai pakaian, clothes shop, tudung', '47711', '46413'],
  ['tailor, tukang jahit, jahitan', '14103', '95292'],
  ['shoe shop, kedai kasut', '47712'],
  ['goldsmith, kedai emas, jeweller', '47733', '32110'],
  ['optician, kedai cermin mata, optometrist', '47737'],
  ['stationery, alat tulis, bookshop, kedai buku', '47612', '47611'],
  ['pet shop, kedai haiwan', '47738'],
  ['vet, veterinary, veterinar', '75000'],
  ['petrol station, stesen minyak', '47300'],
  ['online shop, online seller, e commerce, ecommerce, dropship, kedai online', '47912'],
  ['pasar malam, market stall', '47810', '47820'],
  ['photographer, jurugambar, wedding photo', '74200'],
  ['print shop, printer, percetakan', '18110', '18120', '82196'],
  ['marketing agency, digital marketing, pengiklanan', '73100'],
  ['architect, arkitek', '71101'],
  ['engineer, jurutera', '71102'],
  ['property agent, real estate agent, ejen hartanah', '68201'],
  ['landlord, rental income, sewa rumah', '68101', '68102'],
  ['travel agent, ejen pelancongan', '79110'],
  ['homestay, airbnb, hotel', '55101', '55103'],
  ['gym, gimnasium', '93118'],
  ['cyber cafe, kafe siber', '93297'],
  ['security guard, pengawal keselamatan', '80100'],
  ['employment agency, recruitment, headhunter', '78300', '70202'],
  ['management consultant, business consultant, perunding', '70201', '70209'],
  ['insurance agent, ejen insurans, takaful agent', '66221'],
  ['furniture shop, kedai perabot, perabot', '47591', '31001'],
];

export const INDUSTRIES_FOUND_MAX = 20;

const QUERY_CHARACTERS_MAX = 60;
const WORD_CHARACTERS_MIN = 2;

interface SearchedIndustry {
  readonly row: CodeRow;
  readonly words: readonly string[];
}

const searched: readonly SearchedIndustry[] = INDUSTRIES.map((row) => ({ row, words: splitWords(row.description) }));

const names = INDUSTRY_WORDS.flatMap(([list, ...codes]) =>
  list.split(',').map((name) => ({ words: splitWords(name), codes })),
);

/**
 * Finds industries by the first digits of the code, or by words of the description or of a common name. The best
 * matches come first.
 */
export function searchIndustries(query: string): readonly CodeRow[] {
  const text = query.slice(0, QUERY_CHARACTERS_MAX).trim();
  if (/^\d+$/.test(text)) return INDUSTRIES.filter(({ code }) => code.startsWith(text)).slice(0, INDUSTRIES_FOUND_MAX);
  const wanted = splitWords(text);
  const named = scoreNamed(wanted);
  return searched
    .map(({ row, words }) => ({ row, score: computeScore(wanted, words) + (named.get(row.code) ?? 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.row.description.length - b.row.description.length)
    .slice(0, INDUSTRIES_FOUND_MAX)
    .map(({ row }) => row);
}

/**
 * Rates whole words above prefixes, and prefixes above other parts. An additional match outweighs these differences.
 */
function computeScore(wanted: readonly string[], words: readonly string[]): number {
  let score = 0;
  for (const word of wanted) {
    if (words.includes(word)) score += 13;
    else if (words.some((other) => other.startsWith(word))) score += 12;
    else if (words.some((other) => other.includes(word))) score += 10;
  }
  return score;
}

function scoreNamed(wanted: readonly string[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { words, codes } of names) {
    if (!words.every((word) => wanted.includes(word))) continue;
    for (const [rank, code] of codes.entries()) {
      scores.set(code, Math.max(scores.get(code) ?? 0, 30 * words.length - 3 * rank));
    }
  }
  return scores;
}

function splitWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter(({ length }) => length >= WORD_CHARACTERS_MIN)
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}
