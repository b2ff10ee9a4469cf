import type { Part } from '$lib/history/message';

/** One question and its answer. */
interface SampleTurn {
	readonly user: string;
	readonly answer: readonly Part[];
}

const says = (text: string): Part => ({ type: 'text', text });

const searched = (call: string, query: string, items: readonly (readonly string[])[]): Part => ({
	type: 'dynamic-tool',
	toolName: 'search_library',
	toolCallId: call,
	state: 'output-available',
	input: { query, limit: 5 },
	output: {
		items: items.map(([key, creators, year, title, publication, doi]) => ({
			key,
			creators,
			year: Number(year),
			title,
			publication,
			doi
		}))
	}
});

/**
 * The sample conversation: a review of the spacing and testing effects for a nursing school. The works are real and the
 * figures are theirs, from the published abstracts and results; the one wrong figure (40 % in the fifth answer) is there
 * to be corrected by the user in the sixth question. The library keys are made up.
 */
export const sampleTurns: readonly SampleTurn[] = [
	{
		user: `I am preparing a short evidence review for our nursing school. The question is whether students remember longer when they spread their study over days, and when they test themselves instead of rereading. It goes to the curriculum committee on two pages, so I want few studies, but solid ones.

Please keep these criteria through the whole work:

1. only studies with a retention interval of at least one day
2. adults (university students count)
3. exclude studies without a test delay

First look in my library for what I already have on spacing.`,
		answer: [
			searched('sample-search-1', 'spacing distributed practice', [
				[
					'Q7K2M9XP',
					'Cepeda, Pashler, Vul, Wixted, Rohrer',
					'2006',
					'Distributed practice in verbal recall tasks: A review and quantitative synthesis',
					'Psychological Bulletin 132(3), 354–380',
					'10.1037/0033-2909.132.3.354'
				],
				[
					'H4WN8T3C',
					'Cepeda, Vul, Rohrer, Wixted, Pashler',
					'2008',
					'Spacing effects in learning: A temporal ridgeline of optimal retention',
					'Psychological Science 19(11), 1095–1102',
					'10.1111/j.1467-9280.2008.02209.x'
				],
				[
					'R5ZB6VJE',
					'Rohrer, Taylor',
					'2007',
					'The shuffling of mathematics problems improves learning',
					'Instructional Science 35, 481–498',
					'10.1007/s11251-007-9015-8'
				],
				[
					'M3XD7KQA',
					'Kornell, Bjork',
					'2008',
					'Learning concepts and categories: Is spacing the "enemy of induction"?',
					'Psychological Science 19(6), 585–592',
					'10.1111/j.1467-9280.2008.02127.x'
				]
			]),
			says(`Your library has four works on spacing:

- **Cepeda et al. 2006** (\`Q7K2M9XP\`), a quantitative synthesis of distributed practice. It covers many retention intervals, also short ones, so it can only be background under your first criterion.
- **Cepeda et al. 2008** (\`H4WN8T3C\`), one large experiment with gaps and test delays from days to a year. This is the strongest candidate.
- **Rohrer & Taylor 2007** (\`R5ZB6VJE\`), two experiments with college students and a test after one week.
- **Kornell & Bjork 2008** (\`M3XD7KQA\`), on learning painters' styles. I have to check its test delay before it can go in.

I will treat your three criteria as fixed and say of each study whether it meets them. For each one that does, I will note four things, so that the two pages can be written from these notes alone: who took part, what was compared, how long after learning the test came, and the result in the authors' own unit.

Shall I begin with the synthesis, to set the scene?`)
		]
	},
	{
		user: 'Yes. What can I say about the 2006 synthesis in two sentences, and what should I not say?',
		answer: [
			says(`What you can say:

> A quantitative synthesis of 839 assessments of distributed practice, from 317 experiments in 184 articles, shows that spaced learning is remembered better than massed learning in verbal recall tasks. It also shows that the best gap between two study sessions grows with the time until the test (Cepeda et al., 2006).

What you should not say:

- That the gain is the same at every delay. The main point of the paper is that gap and retention interval act *together*.
- That it is about nursing, or about skills. The tasks are verbal recall: word lists, paired items, facts and texts.
- That all 839 assessments meet your criteria. Many of them used delays of seconds or minutes. For the committee it is background, not evidence for a term of teaching.

Why it is still worth two sentences: a committee that hears of single experiments will ask whether they were picked. The synthesis answers that before it is asked. The effect is one of the oldest and most often repeated in the study of memory, and our four or five studies are examples of it, chosen because their delays are long enough to matter for a term.

The reference is doi 10.1037/0033-2909.132.3.354 (\`Q7K2M9XP\`).`)
		]
	},
	{
		user: 'Good, background only. Now the 2008 experiment. I need the design, the result, and a rule of thumb that a teacher can use.',
		answer: [
			says(`**Design.** More than 1,350 people learned a set of facts, came back for one review after a gap of up to 3.5 months, and took a final test up to 1 year after that review. It was done over the internet with adults, and the delays are far above one day, so it meets all three criteria.

**Result.** For any given test delay, a longer gap first helped and then slowly hurt. The best gap became longer as the test moved further away. As a share of the delay, however, it became smaller: about 20 to 40 % of a delay of 1 week, and about 5 to 10 % of a delay of 1 year (Cepeda et al., 2008, doi 10.1111/j.1467-9280.2008.02209.x).

**Rule of thumb.** If the exam is $d$ days away and $d$ is a few weeks, put the review at about

$$g^* \\approx 0.2\\,d$$

For an exam in 5 weeks that is a review after about 7 days. For knowledge that must last a year use a smaller share, $g^* \\approx 0.05\\,d$ to $0.1\\,d$, which is roughly 3 to 5 weeks.

Three cautions for the text:

1. Strictly, $d$ counts from the review to the test, not from the first lesson. For a few weeks the difference is a day or two, and no teacher plans that finely.
2. The figures come from learning facts, not procedures. Giving an injection is not the same as knowing the name of a drug.
3. The penalty is not symmetric: a gap that is too short costs more than one that is too long. When in doubt, a teacher should wait a little longer.`)
		]
	},
	{
		user: 'The asymmetry is useful for the committee, keep it. Now the testing side: what do I have in the library on self-testing or retrieval practice?',
		answer: [
			searched('sample-search-2', 'testing effect retrieval practice', [
				[
					'T8PF2LVN',
					'Roediger, Karpicke',
					'2006',
					'Test-enhanced learning: Taking memory tests improves long-term retention',
					'Psychological Science 17(3), 249–255',
					'10.1111/j.1467-9280.2006.01693.x'
				],
				[
					'W6CJ9R4H',
					'Karpicke, Roediger',
					'2008',
					'The critical importance of retrieval for learning',
					'Science 319, 966–968',
					'10.1126/science.1152408'
				],
				[
					'D2GY5SUK',
					'Dunlosky, Rawson, Marsh, Nathan, Willingham',
					'2013',
					"Improving students' learning with effective learning techniques",
					'Psychological Science in the Public Interest 14(1), 4–58',
					'10.1177/1529100612453266'
				]
			]),
			says(`Three works, and they fit together well:

1. **Roediger & Karpicke 2006** (\`T8PF2LVN\`): students read prose passages and then either read them again or recalled them. Tests came after 5 minutes, 2 days and 1 week. The 5-minute condition falls outside your criteria, but it is the contrast that makes the finding clear, so I would report it as context and mark it.
2. **Karpicke & Roediger 2008** (\`W6CJ9R4H\`): students learned Swahili–English word pairs. Once a pair had been recalled, it was either dropped from further study, from further testing, from both, or from neither. The final test came about a week later.
3. **Dunlosky et al. 2013** (\`D2GY5SUK\`): a review of ten learning techniques. It rates only two of them as of high utility: practice testing and distributed practice. Rereading and highlighting are rated low. As a review it is background, like Cepeda et al. 2006, but a committee will value it because it says plainly what to stop doing.

The two experiments complement each other. The first uses connected prose, which is close to a textbook chapter; the second uses isolated pairs, which is close to drug names and their indications. If both point the same way, the finding does not hang on one kind of material.`)
		]
	},
	{
		user: 'Give me the numbers of Roediger and Karpicke 2006 as a table, both experiments.',
		answer: [
			says(`University students read short prose passages, one about the sun and one about sea otters. Both experiments report the share of idea units that they could write down from a passage at the final test.

**Experiment 1:** one more study period against one recall test, without feedback.

| Final test after | Studied again | Tested | In favour of |
| --- | ---: | ---: | --- |
| 5 minutes (outside the criteria) | 81 % | 75 % | rereading |
| 2 days | 54 % | 68 % | testing |
| 1 week | 40 % | 56 % | testing |

**Experiment 2:** four periods, S for study and T for test; final test after 1 week.

| Sequence | Recalled after 1 week |
| --- | ---: |
| SSSS | 40 % |
| SSST | 56 % |
| STTT | 61 % |

After 5 minutes the order in Experiment 2 was the reverse, with SSSS in front; I leave those figures out, because that delay is outside the criteria.

The pattern to describe is the crossing: just after learning, rereading looks better; from two days on, testing is ahead. A student who judges by how fluent the text feels tonight will choose the wrong method. The tested group in Experiment 1 never saw the passage again, so its advantage cannot come from extra reading.`)
		]
	},
	{
		user: 'One correction: in Experiment 1 the restudy group after one week was 42 %, not 40 %. The 40 % is SSSS in Experiment 2. Please use 42 % against 56 % from now on, and check whether anything else changes.',
		answer: [
			says(`You are right, I had carried the SSSS figure into the first table. The corrected row is:

| Final test after | Studied again | Tested | In favour of |
| --- | ---: | ---: | --- |
| 1 week | **42 %** | 56 % | testing |

What changes: the advantage of testing after one week in Experiment 1 is 14 percentage points, not 16. That makes it equal to the advantage after two days (68 % against 54 %, also 14 points), so we must **not** write that the gap widens between two days and one week. What does not change: the crossing after 5 minutes, all of Experiment 2, and the conclusion.

I have also gone through the other figures again. The three conditions of Experiment 2 are unchanged (SSSS 40 %, SSST 56 %, STTT 61 %), and so are the rows for 5 minutes and 2 days. Note that 56 % occurs twice, once in each experiment, so the text should always name the experiment beside the figure.

I will use 42 % against 56 % from here on.`)
		]
	},
	{
		user: 'Now Kornell and Bjork 2008. I like that one because it is about categories, which is close to recognising clinical pictures. Does it meet the criteria?',
		answer: [
			says(`No. It is a good study, but it fails your first and third criteria. Participants saw paintings by several artists, with each artist's works either together or mixed with the others', and then had to name the artist of new paintings. Mixing was better, although most participants believed the opposite. But the test came in the **same session**, after a short distractor task. There is no retention interval of at least one day.

I see three options:

- **a)** leave it out, and say in a footnote that category learning was considered;
- **b)** relax the criteria for this one study;
- **c)** look for another study of categories with a delayed test.

I would advise against b). If one study may break the rule because we like it, the committee can ask why others may not. Option a) costs nothing, and c) is worth an hour if recognising clinical pictures matters to your argument.

For the footnote I suggest: "Studies of learning categories, such as Kornell and Bjork (2008), were considered and left out, because the test followed within the same session." It is fair to the authors, who asked another question than we do, and it shows the committee that the criteria were applied and not just announced.`)
		]
	},
	{
		user: 'Agreed: a), Kornell and Bjork is out, footnote only. Option b) is rejected, please do not propose it again. c) goes on the list of open questions. What about Rohrer and Taylor 2007 and Karpicke and Roediger 2008?',
		answer: [
			says(`Both are in.

**Rohrer & Taylor 2007** (\`R5ZB6VJE\`, doi 10.1007/s11251-007-9015-8). College students, test after 1 week, so all three criteria are met. The two experiments answer different questions:

- Experiment 1 compares practice massed in one session with practice spaced over sessions, on one kind of problem. Spaced practice was much better a week later. This one speaks to our question.
- Experiment 2 compares problems blocked by type with mixed problems. A week later the mixed group solved 63 % of the problems, the blocked group 20 %. This is *interleaving*, not spacing. I would mention it in one sentence and keep it out of the spacing argument.

It is also the only study here about **solving problems** rather than recalling facts. That makes it the closest one to drug dosage calculation, though the problems were mathematical and not clinical.

**Karpicke & Roediger 2008** (\`W6CJ9R4H\`, doi 10.1126/science.1152408). University students, test about 1 week later.

| After a pair was recalled once | Recalled a week later |
| --- | ---: |
| studied and tested again | about 80 % |
| tested again only | about 80 % |
| studied again only | 36 % |
| neither | 33 % |

Further study of known items made almost no difference; further testing made a very large one. The students' own predictions were unrelated to how they then did.`)
		]
	},
	{
		user: 'Then let us decide the recommendation. The module on pharmacology runs 5 weeks, with an exam at the end and clinical placement about a year later. Somebody will propose a revision week just before the exam. What do we recommend, and how do we answer that?',
		answer: [
			says(`I propose this as the recommendation:

1. **One short closed-book quiz some days after each unit**, with the answers shown afterwards. The gap follows the rule of thumb for the time that is left, see the table.
2. **Quizzes replace a rereading session, they are not added to it.** The hours stay the same. That answers the question of workload before it is asked.
3. **One more quiz round 3 to 5 weeks after the exam**, for the placement a year later (5 to 10 % of the delay). This is the only part that needs new time: about 30 minutes.

| Unit taught in | Days left to the exam | Quiz after about |
| --- | ---: | ---: |
| week 1 | 28 | 6 days |
| week 2 | 21 | 4 days |
| week 3 | 14 | 3 days |
| week 4 | 7 | 1 to 3 days |
| week 5 | 0 | in the round after the exam |

For weeks 1 to 3 this is $0.2\\,d$, rounded; for week 4 it is the 20 to 40 % that Cepeda et al. report for a delay of 1 week. Fixed days of the week near these values are better than exact ones that nobody keeps, and where you must choose, choose the later day.

On the revision week: do not say that it is useless. Massed rereading can raise the mark next morning, and that is just what the 5-minute row of Roediger & Karpicke shows (81 % against 75 %). Say that it buys the wrong thing: after two days the order is reversed (54 % against 68 %), and the placement is a year away. If the week cannot be avoided, fill it with quizzes.

What I cannot support from these studies is a claim about patient safety or clinical performance. None of them measured it.`)
		]
	},
	{
		user: 'Before we decide: write the results paragraph and the limits paragraph as they could stand in the two pages. Plain language, about 120 words each, no jargon, and the corrected figure.',
		answer: [
			says(`**Results.** Students remember longer when study is spread over days and when they recall the material instead of reading it again. In one experiment with more than 1,350 people, the best time for a review was about 20 to 40 % of the way to a test one week off, and about 5 to 10 % of the way to a test one year off (Cepeda et al., 2008). In another, students who reread a text did better after five minutes, 81 % against 75 %, but those who had recalled it were ahead after two days, 68 % against 54 %, and after one week, 56 % against 42 % (Roediger & Karpicke, 2006). With word pairs, continued testing led to about 80 % recall after a week; continued study without testing led to 36 % (Karpicke & Roediger, 2008).

**Limits.** None of the studies was made with nursing students, and none measured what happens at the bedside. Most of them used facts, prose or word pairs; only Rohrer and Taylor (2007) used problems to be solved, and those were mathematical. The longest delay is one year, in a single experiment. Participants had no stake in the final test, while our students have an exam, and they may study at home in ways that no experiment controls. The direction of the effects is consistent across all four studies, but their size in our module is unknown. That is why we propose to start with what costs no extra hours, and to try the rest with one group first.`)
		]
	},
	{
		user: 'What will the committee ask, and what do I answer? Short, with the study behind each answer, and say so where there is none.',
		answer: [
			says(`Six questions I would expect:

1. *Does it cost more hours?* No. A quiz replaces a rereading session. In Roediger & Karpicke (2006) both groups spent the same time; only what they did in it differed.
2. *Students say rereading works for them. Are they wrong?* About tomorrow, they are right: after 5 minutes rereading is ahead, 81 % against 75 %. About next week they are not: 42 % against 56 %.
3. *What if they cannot answer the quiz questions?* Show the answers afterwards, as point 1 says. The studies here do not tell how hard a quiz may be.
4. *Why not simply more reading, spread out?* Spreading helps by itself, but it does not replace recall: in Karpicke & Roediger (2008) repeated study after a word was once recalled added almost nothing, repeated tests about 80 % against 36 %.
5. *How sure are the gaps?* The direction is sure, the days are not. In Cepeda et al. (2008) the best gap moves with the delay, and being somewhat late costs less than being early.
6. *Will patients notice?* No study here says so. That is the honest answer, and the reason for the pilot.

If there is time for one figure only, show the crossing of question 2. If they want to read one paper, give them Dunlosky et al. (2013): it is the broadest, and it was written for such readers.`)
		]
	},
	{
		user: 'Our partner school in Valencia wants the gist. One paragraph in Spanish, with the two figures that matter and the two references.',
		answer: [
			says(
				`Quien reparte el estudio en varios días y se pone a prueba en lugar de releer recuerda durante más tiempo. Cinco minutos después de estudiar, releer parece mejor (81 % frente a 75 %); una semana después, quienes intentaron recordar el texto van por delante (56 % frente a 42 %; Roediger y Karpicke, 2006, doi:10.1111/j.1467-9280.2006.01693.x). Y el intervalo entre repasos debe crecer con el plazo: para una prueba dentro de una semana conviene repasar tras el 20 al 40 % de ese tiempo; para una dentro de un año, tras el 5 al 10 % (Cepeda et al., 2008, doi:10.1111/j.1467-9280.2008.02209.x). Ninguno de estos estudios se hizo con estudiantes de enfermería, así que proponemos empezar por lo que no cuesta horas y probar el resto con un grupo.`
			)
		]
	},
	{
		user: 'Decision: we recommend points 1 and 2 now, and point 3 as a pilot in one group. The revision week is rejected as an alternative. Write me the list of what is settled and what is still open, and I will start the draft tomorrow.',
		answer: [
			says(`**Settled**

- Question: do spacing and self-testing help nursing students remember longer? Two pages, for the curriculum committee.
- Criteria: retention interval of at least one day; adults; no study without a test delay.
- Included: Cepeda et al. 2008 (\`H4WN8T3C\`), Roediger & Karpicke 2006 (\`T8PF2LVN\`, days 2 and 7; the 5-minute row as context), Karpicke & Roediger 2008 (\`W6CJ9R4H\`), Rohrer & Taylor 2007 (\`R5ZB6VJE\`, Experiment 1; Experiment 2 in one sentence).
- Background only: Cepeda et al. 2006 (\`Q7K2M9XP\`), Dunlosky et al. 2013 (\`D2GY5SUK\`).
- Excluded: Kornell & Bjork 2008 (\`M3XD7KQA\`), same-session test, footnote. Relaxing the criteria for it is rejected.
- Corrected figure: Experiment 1 after one week is 42 % against 56 %.
- Recommendation: points 1 and 2 now, point 3 as a pilot in one group. The revision week is rejected.

**Open**

- [ ] Is there a study of category learning with adults and a test after at least one day?
- [ ] Is there a study with *nursing* students that meets the criteria? So far the library has none.
- [ ] Who writes the quiz questions, and are they shared between the groups?
- [ ] How will the pilot be measured: the same quiz in both groups, or the first week of the placement?

For the draft, I suggest this order, about half a page each:

1. The question, and why it matters for a module whose content is needed a year later.
2. The crossing in Roediger & Karpicke. Begin with it: it is the one result that surprises people who teach.
3. The time between reviews, with the table of gaps for the five weeks and the asymmetry: better a little too late than too early.
4. The recommendation, the answer on the revision week, the limits, and the footnote.

Dunlosky et al. fits best as the last sentence of the second part: of ten techniques, the two that they rate as of high utility are the two that we recommend.`)
		]
	}
];
