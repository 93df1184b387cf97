"""A small corpus, and what KenLM 0.3.0 makes of it."""

# The last word that is new, "sang", comes twice after one word: the case that lmplz counts apart.
CORPUS = """\
the cat sat on the mat
the dog sat on the log
a cat and a dog ran
the cat saw the dog

a dog saw the cat on the mat
on the mat the cat sat
the dog ran to the log
yes
the bird sat and the bird sang and the bird sang
"""

# lmplz -o 3 --discount_fallback < corpus > corpus.arpa (KenLM 0.3.0; no discount needed its fallback)
LMPLZ = r"""
\data\
ngram 1=18
ngram 2=38
ngram 3=45

\1-grams:
-1.4499232	<unk>	0
0	<s>	-0.19836766
-0.77711046	</s>	0
-0.9414412	the	-0.0677518
-1.2736741	cat	-0.25527254
-1.4499232	sat	-0.15836251
-1.4499232	on	0
-1.28454	mat	-0.25527254
-1.2736741	dog	-0.17609128
-1.28454	log	-0.25527254
-1.2736741	a	-0.13033378
-1.4499232	and	-0.13033378
-1.28454	ran	-0.25527254
-1.2736741	saw	-0.079181254
-1.28454	to	-0.25527254
-1.28454	yes	-0.25527254
-1.28454	bird	-0.25527254
-1.28454	sang	-0.25527254

\2-grams:
-0.823176	<s> </s>	0
-0.6437263	sat </s>	0
-0.5016384	mat </s>	0
-0.6983915	dog </s>	0
-0.26981613	log </s>	0
-0.5016384	ran </s>	0
-0.26981613	yes </s>	0
-0.5016384	sang </s>	0
-0.5646726	<s> the	-0.07851363
-0.9414412	on the	-0.034762107
-0.543942	mat the	-0.15970083
-0.70801485	and the	-0.06038477
-0.5816504	saw the	-0.15970083
-0.29411966	to the	-0.15970083
-1.3414259	the cat	-0.10720997
-0.726783	a cat	-0.15970083
-0.8833044	cat sat	-0.15970083
-0.9486649	dog sat	-0.15970083
-0.61629665	bird sat	-0.15970083
-1.1744444	<s> on	-0.15970083
-0.8833044	cat on	-0.15970083
-0.96666664	sat on	-0.06038477
-1.0512072	the mat	-0.091034085
-1.1029652	the dog	-0.15970083
-0.8223015	a dog	-0.15970083
-1.1092069	the log	-0.06038477
-1.173544	<s> a	-0.15970083
-0.726783	and a	-0.15970083
-0.8833044	cat and	-0.15970083
-0.8672432	sat and	-0.15970083
-0.61629665	sang and	-0.15970083
-0.9944334	dog ran	-0.15970083
-0.8517217	cat saw	-0.15970083
-0.9052166	dog saw	-0.15970083
-0.6001966	ran to	-0.15970083
-1.1116148	<s> yes	-0.15970083
-1.1092069	the bird	-0.091034085
-0.6001966	bird sang	-0.15970083

\3-grams:
-0.5071144	cat sat </s>
-0.46597242	the mat </s>
-0.6176043	the dog </s>
-0.22378822	the log </s>
-0.4295169	dog ran </s>
-0.16772044	<s> yes </s>
-0.4295169	bird sang </s>
-0.41238272	<s> on the
-0.41238272	cat on the
-0.63942903	sat on the
-0.47584242	the mat the
-0.3533023	sat and the
-0.3533023	sang and the
-0.3106049	cat saw the
-0.3106049	dog saw the
-0.18085232	ran to the
-1.0460118	<s> the cat
-0.46950173	mat the cat
-0.7319208	saw the cat
-0.5471126	<s> a cat
-0.7769923	the cat sat
-0.7435674	the dog sat
-0.52469116	the bird sat
-0.7468287	the cat on
-0.6409241	cat sat on
-0.41742992	dog sat on
-1.0859693	on the mat
-0.9289733	<s> the dog
-0.6809691	saw the dog
-0.58825016	<s> a dog
-0.38518345	and a dog
-0.82766676	on the log
-0.44185483	to the log
-0.35895792	cat and a
-0.39982843	a cat and
-0.39612335	bird sat and
-0.49303335	bird sang and
-0.762738	the dog ran
-0.64981014	a dog ran
-0.7285279	the cat saw
-0.6198577	a dog saw
-0.48456693	dog ran to
-0.898103	<s> the bird
-0.7044777	and the bird
-0.53740054	the bird sang

\end\
"""

# lmplz -o 3 --discount_fallback --prune 0 1 < corpus (KenLM 0.3.0)
LMPLZ_PRUNED = r"""
\data\
ngram 1=18
ngram 2=17
ngram 3=9

\1-grams:
-1.4499232	<unk>	0
0	<s>	-0.11539344
-0.77711046	</s>	0
-0.9414412	the	-0.0677518
-1.2736741	cat	-0.05115252
-1.4499232	sat	-0.03778858
-1.4499232	on	0
-1.28454	mat	-0.10914446
-1.2736741	dog	-0.02996325
-1.28454	log	-0.25527254
-1.2736741	a	-0.05115255
-1.4499232	and	-0.05115255
-1.28454	ran	0
-1.2736741	saw	-0.079181254
-1.28454	to	0
-1.28454	yes	0
-1.28454	bird	-0.10914446
-1.28454	sang	0

\2-grams:
-0.45325643	mat </s>	0
-0.26981613	log </s>	0
-0.54100955	<s> the	-0.047617447
-0.9414412	on the	0
-0.6719649	and the	-0.06038477
-0.5816504	saw the	0
-1.3414259	the cat	-0.029143734
-0.845711	cat sat	0
-0.9360528	sat on	-0.06038477
-1.0512072	the mat	-0.03930975
-1.1029652	the dog	0
-0.80012107	a dog	0
-1.1092069	the log	-0.06038477
-1.1298366	<s> a	0
-0.9387763	dog ran	0
-1.1092069	the bird	-0.03930975
-0.5806786	bird sang	0

\3-grams:
-0.38909966	the mat </s>
-0.22378822	the log </s>
-0.63942903	sat on the
-1.0326816	<s> the cat
-0.70267594	the cat sat
-1.0512072	on the mat
-0.9114289	<s> the dog
-0.7044777	and the bird
-0.4862123	the bird sang

\end\
"""

# kenlm.Model("corpus.arpa"): score(text), out-of-vocabulary words and lowest of full_scores(text) (kenlm 0.3.0).
KENLM = [
    ("the cat sat on the mat", -5.21997, 0, -1.08597),
    ("", -0.82318, 0, -0.82318),
    ("a bird sat on a zebra", -8.18221, 1, -1.58026),
    ("zebra", -2.4254, 1, -1.64829),
    ("dog the log to ran", -7.34043, 0, -1.6002),
    ("the cat the <unk> cat", -6.73834, 1, -1.51767),
    ("yes yes yes", -4.62076, 0, -1.69951),
]
