"""Vowpal Wabbit's flags (all of ``vw --help``, 9.11): which of them work here, and what replaces the others.

The command line looks up unknown flags here. ``python tests/golden/capture_vw_flags.py`` writes the same table to
docs/vw-flags.md. Imports nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class FlagSupport(NamedTuple):
    """The entry of a flag: `state` is one of `STATES`, `text` is advice."""

    state: str
    text: str

    @property
    def is_same(self) -> bool:
        """Return whether the flag does here what it does there."""
        return self.state == WORKS and not self.text.startswith("a different meaning")


STATES = WORKS, STANDS_FOR, NOT_HERE = "works", "stands for", "not here"

#: Short spellings.
SHORT = {
    "-a": "--audit",
    "-P": "--progress",
    "-h": "--help",
    "-t": "--testonly",
    "-b": "--bit_precision",
    "-C": "--constant",
    "-q": "--quadratic",
    "-d": "--data",
    "-c": "--cache",
    "-k": "--kill_cache",
    "-f": "--final_regressor",
    "-p": "--predictions",
    "-r": "--raw_predictions",
    "-l": "--learning_rate",
    "-i": "--initial_regressor",
}

_WORK = """
    --version --progress --help --testonly --holdout_off --holdout_period --passes --hash --hash_seed --ignore --keep
    --bit_precision --noconstant --ngram --skips --interactions --quadratic --cubic --data --cache --quiet
    --final_regressor --initial_regressor --sketch_size --chain_hash
"""
_WORK_BUT = {
    "--predictions": "a decision has one line, with its tag or event; VW puts a blank line behind it",
    "--loss_function": "squared, logistic, hinge, quantile, poisson, and more; not classic and expectile; Poisson "
    "losses are exp(p) - yp, VW's twice that less the least for y",
    "--learning_rate": "of the methods with a step size: nag, adagrad, sgd, ogd, nlms, metagrad and the ada- methods",
    "--power_t": "of nag, adagrad, sgd and ogd",
    "--l1": "of ftrl",
    "--id": "a different meaning: the column of a table that names its rows; VW's is a name that a model has",
    "--l2": "with nag, adagrad, sgd and similar methods, the Newton family and ftrl; it shrinks the constant, too",
    "--decay": "a different meaning: the share of the past that each example discounts; VW's is for marginals",
    "--threshold": "a different meaning: the probability from which on the class is +1; VW's is for several labels",
    "--invert_hash": "of a method alone, as nag; a committee has no one weight for a feature",
    "--ftrl_alpha": "of --method ftrl and coin",
    "--ftrl_beta": "of --method ftrl and coin",
    "--quantile_tau": "of --loss quantile",
    "--invariant": "of nag, which has it unless --no-invariant is given",
    "--cache_file": "one file",
    "--binary": "labels -1/+1 or 0/1 only; not with --link (VW takes both and then predicts +1 for every example)",
    "--link": "identity, logistic, glf1 and poisson; it changes neither raw predictions, nor the loss, nor learning",
    "--min_prediction": "each bound alone (VW sets the other to 0); bounds do not follow from the labels",
    "--max_prediction": "each bound alone (VW sets the other to 0); bounds do not follow from the labels",
    "--project": "a different meaning: when --clip is applied; VW projects the weights of its freegrad",
    "--examples": "in each pass, as VW; predict has it too",
    "--early_terminate": "by default all passes are made (VW, and sonlearn vw: 3); the model is that of the best pass",
    "--holdout_after": "with several passes (VW: with one, too)",
    "--json": "stands for --format json; not _multi",
    "--save_per_pass": "the file of -f is rewritten after every pass",
    "--raw_predictions": "before the projection onto [-C, C]",
    "--oaa": "K classes labelled 1 to K, or 0 to K-1; one committee, or with --method a learner a class",
    "--top": "a different meaning: the K likeliest of several classes; VW's is of rows that belong together",
    "--probabilities": "of --oaa, --classes and --multinomial",
    "--cb": "lines of a label and features; costs of more than one action are refused",
    "--cb_explore": "the rule is --explore, which is ucb if not given (of a line of VW: epsilon)",
    "--cb_adf": "blocks of lines, or dsjson; shared features are multiplied with those of actions unless -q is given",
    "--cb_explore_adf": "as --cb_adf and --cb_explore",
    "--cbify": "with classes 1 to K, 0 to K - 1 or names; without --cb_explore_adf",
    "--cb_type": "dm, mtr, ips and dr; dm is the default",
    "--epsilon": "of --explore epsilon",
    "--lambda": "of --explore softmax, for rewards scaled to between 0 and 1",
    "--gamma_scale": "of --explore squarecb",
    "--gamma_exponent": "of --explore squarecb",
    "--dsjson": "with --cb_adf or --cb_explore_adf, where --format json is dsjson",
    "--alpha": "the multiple of the identity, as with --OjaNewton",
    "--audit": "explains each prediction, in a format of its own (--audit-format json for programs)",
}


def _by_flag(answers: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of several flags, said of each."""
    return {name: answer for names, answer in answers.items() for name in names.split()}


#: What `sonlearn vw` takes in the place of flags, with a warning: a flag, its value (in capitals: theirs), and why.
NEAREST = _by_flag({
    "--bag --cover --synthcover": ("--explore thompson", "each action is as likely as it is to be the best one"),
    "--regcb --regcbopt --rnd --first": ("--explore ucb", "it tries what may be the best action, while that is open"),
    "--ect --log_multi --recall_tree": ("--oaa K", "one committee of all classes"),
    "--extra_metrics": ("--log-json FILE", "what was counted and measured, in the program's own words"),
    "--readable_model": ("--invert_hash FILE", "weights by name; sonlearn inspect has those of any model"),
})  # fmt: skip
WHY_RFD = "without VW's bounds Oja's sketch (--sketch oja) errs far more"
#: Flags in whose place the committee learns (decisions: their reward models), without flags of steps; and why.
NEAREST_COMMITTEE = _by_flag({
    "--nn --boosting --autolink --stage_poly --ksvm": "the committee learns pairs of features and trees",
    "--lrq --lrqfa --rank --new_mf": "the committee learns pairs of features, at no fixed rank",
    "--bfgs --conjugate_gradient": "the committee takes Newton steps",
    "--svrg --freegrad --pistol": "the committee finds its own steps",
    "--bootstrap": "the committee learns; --coverage .9 adds an interval to each prediction",
})  # fmt: skip
#: Flags without which `sonlearn vw` runs a line, with a warning; and why.
NEEDLESS = _by_flag({
    """
        --nounif --psi --greedify --first_only --elim --mellowness --cb_min_cost --cb_max_cost --rnd_alpha
        --rnd_invlambda --synthcoverpsi --synthcoversize --clip_p --alg --gamma --inpass --multitask --dropout
        --meanfield --lrqdropout --bs_type --mem --termination --hessian_on --error --no_progress --swap_resistance
        --max_candidates --bern_hyper --max_depth --node_only --randomized_routing --kernel --degree --reprocess
        --pool_greedy --para_active --pool_size --subsample --sched_exponent --batch_sz --batch_sz_no_doubling
        --stage_size --restart --fepsilon --flipschitz_const --oaa_subsample
    """: "there is no such setting",
    "--initial_t --decay_learning_rate --initial_pass_length":
        "steps follow from --learning_rate and --power_t, or from what was seen",
    "--constant --initial_weight --random_weights --normal_weights --truncated_normal_weights": "weights begin at 0",
    "--cb_sample": "-p has the probabilities; nothing is drawn",
    "--leave_duplicate_interactions": "equal interactions count once",
    "--random_init": "the sketch begins with the first gradients",
    "--driver_output --log_output --limit_output --dont_output_best_constant":
        "progress goes to standard error, predictions to the file of -p",
})  # fmt: skip
#: Flags without which a line does the same: `sonlearn vw` leaves them out without a word; and why.
HARMLESS = _by_flag({
    "--indexing": "the labels show whether they begin with 0 or 1",
    "--sort_features": "the order of features does not matter",
    "--kill_cache": "a stale cache is rebuilt automatically",
    "--compressed": "compressed files are recognised by their content",
    "--strict_parse": "a malformed line ends the run, unless --on-error skip is given",
    "--sparse_weights": "memory grows with the number of features, not with -b",
    "--save_resume --preserve_performance_counters --predict_only_model": "a model always holds the whole state",
    "--no_predict --cb_force_legacy": "nothing changes without it",
    "--large_action_space --max_actions --spanner_c --thread_pool_size --block_size --las_hint_explicit_simd "
    "--two_pass_svd": "every action has its score",
    "--foreground --no_daemon --num_children": "sonlearn serve is one process, in the foreground",
    "--ring_size --example_queue_limit": "there is no such setting",
})  # fmt: skip
_VALUELESS = """
    --kill_cache --save_resume --preserve_performance_counters --sort_features --compressed --strict_parse
    --sparse_weights --no_daemon --foreground --predict_only_model --no_predict --cb_force_legacy --large_action_space
    --las_hint_explicit_simd --two_pass_svd
    --synthcover --regcb --regcbopt --freegrad --pistol --svrg --stage_poly --ksvm --bfgs --conjugate_gradient --nounif
    --greedify --first_only --elim --inpass --multitask --dropout --meanfield --lrqdropout --hessian_on --no_progress
    --node_only --randomized_routing --pool_greedy --para_active --batch_sz_no_doubling --restart --random_weights
    --normal_weights --truncated_normal_weights --cb_sample --no_stdin --onethread --driver_output_off
    --leave_duplicate_interactions --dont_output_best_constant
"""
#: Of all these those that have no value.
VALUELESS = frozenset(_VALUELESS.split())
_STANDS_FOR = _by_flag({
    "--named_labels": "give --classes auto, which takes any names",
    "--scores": "give -r FILE, which has the score of each class",
    "--sgd": "give --method sgd -l 10 (VW's default); its steps are l t^-p, VW's l (t + 1)^-p, alike with --power_t 0",
    "--adaptive": "give --method adagrad -l 10 (VW's default), which sums (h g)^2 of weights h where VW sums h g^2: a "
    "factor of all weights changes nothing; or --method nag, normalized and invariant too",
    "--normalized": "give --method nag",
    "--ftrl": "give --method ftrl",
    "--coin": "give --method coin",
    "--dry_run": "leave it out: options are checked before anything is read",
    "--no_stdin": "leave it out, and name the data",
    "--csv": "give --format csv, and --label COLUMN",
    "--csv_separator": "give --delimiter",
    "--driver_output_off": "give --quiet",
    "--log_level": "give --quiet, or leave it out",
    "--audit_regressor": "use sonlearn inspect MODEL",
    "--dump_json_weights_experimental": "use sonlearn inspect --json MODEL",
    "--dump_json_weights_include_feature_names_experimental": "give --names, then use sonlearn inspect --json MODEL",
    "--random_seed": "give --seed; only rp-son, ada-gp, ada-dp, ada-lr and radagrad use random numbers",
    "--OjaNewton": f"give --sketch rfd: {WHY_RFD}",
    "--alpha_inverse": "give --alpha, its inverse",
    "--normalize   ": "give --diagonal or --no-diagonal",
    "--classweight": "give the examples of the class an importance weight",
    "--daemon --port": "use sonlearn serve --tcp PORT, which replies to each line with one line, as VW does",
    "--squarecb": "give --explore squarecb",
    "--softmax": "give --explore softmax",
    "--span_server": "give --cluster, which learns in several processes or on several machines",
    "--confidence --confidence_after_training": "give --coverage .9, which adds an interval to each prediction",
    "--eval --explore_eval --multiworld_test": "use sonlearn evaluate, which says what policies would have cost",
    "--rank_all": "give --cb_explore_adf, which writes all actions",
})  # fmt: skip
_NOT_HERE = _by_flag({
    "--no_bias_regularization --l1_state --l2_state --sparse_l2": "--l1 and --l2 are the penalties there are",
    "--feature_mask": "its steps are not here; leave out features with --ignore and --keep",
    "--adax --epoch_size --learning_rate_cnt": "steps follow from --learning_rate and --power_t, or from what was seen",
    """
        --noop --print --replay_b --replay_b_count --replay_c --replay_c_count --replay_m --replay_m_count
    """: "sonlearn methods lists the methods there are",
    "--expectile_q --logistic_min --logistic_max": "the losses are those of --loss_function",
    """
        --csoaa --cs_absolute_loss --cs_active --domination --range_c --max_labels --min_labels --cost_max --cost_min
        --csa_debug
    """: "for costs of classes give a line for each class, its label CLASS:COST:1, with --cb K",
    "--csoaa_ldf --ldf_override --csoaa_rank --wap_ldf --cbify_ldf":
        "for costs of actions give a block for each cost, one label 0:COST:1 in it, with --cb_adf",
    """
        --plt --kary_tree --top_k --plt_force_load_legacy_model --multilabel_oaa --max_number_of_labels
    """: "for several labels of a row learn a model for each, its rows labelled 1 and -1",
    """
        --memory_tree --leaf_example_multiplier --dream_repeats --top_K --learn_at_leaf --oas
        --dream_at_update --online --emt --emt_tree --emt_leaf --emt_scorer --emt_initial --emt_router --ot
    """: "of several classes there is --oaa K, --classes auto, one label a row",
    """
        --search --search_task --search_metatask --search_interpolation --search_rollout --search_rollin
        --search_passes_per_policy --search_beta --search_alpha --search_total_nb_policies
        --search_trained_nb_policies --search_allowed_transitions --search_subsample_time
        --search_neighbor_features --search_rollout_num_steps --search_history_length --search_no_caching
        --search_xv --search_perturb_oracle --search_linear_ordering --search_active_verify
        --search_save_every_k_runs
    """: "no structured prediction; give each row the words around it as features, and --oaa K",
    "--active --simulation --direct --active_cover --beta_scale --oracular":
        "no active learning; ask for the labels of rows whose probability is near a half, and train on these",
    """
        --interact --marginal --initial_denominator --initial_numerator --compete --update_before_learn
        --unweighted_marginals
    """: "no such model; the committee learns pairs and trees",
    "--lda --lda_alpha --lda_rho --lda_D --lda_epsilon --minibatch --math_mode --metrics": "no topics",
    """
        --ignore_linear --ignore_features_dsjson_experimental --redefine --feature_limit --affix --spelling
        --dictionary --dictionary_path --experimental_full_name_interactions --permutations
    """: "features are those of the text, and of -q, --interactions, --ngram and --skips",
    "--pid_file --port_file --sendto": "sonlearn serve is one process, in the foreground",
    "--flatbuffer": "LIBSVM, VW, JSON, CSV, Parquet and Arrow are read",
    "--csv_no_file_header --csv_header --csv_ns_value": "CSV has a header; (echo a,b,y; cat FILE) puts one before",
    """
        --hexfloat_weights --dump_json_weights_include_extra_online_state_experimental
        --output_feature_regularizer_binary --output_feature_regularizer_text
        --input_feature_regularizer --per_model_save_load
    """: "a model holds the whole state, bit for bit",
    "--unique_id --total --node --span_server_port": "--cluster starts its workers itself and gives them their work",
    "--baseline --lr_multiplier --global_only --check_enabled": "no baselines",
    "--ccb_explore_adf --all_slots_loss --ccb_no_slot_index --slates":
        "one decision at a time; give each slot a block of its own, with --cb_explore_adf",
    """
        --cats --cats_tree --tree_bandwidth --cats_pdf --bandwidth --cb_discrete --min_value --max_value --cbify_reg
        --loss_option --loss_report --loss_01_ratio --get_pmf --sample_pdf --cb_explore_pdf --pmf_to_pdf --cbzo
        --policy --radius
    """: "actions are numbered; cut their range into K, with --cb_explore K",
    """
        --automl --default_lease --priority_type --priority_challengers --verbose_metrics --csv_trace
        --interaction_type --oracle_type --debug_reversed_learn --automl_significance_level
        --fixed_significance_level --reward_as_cost --tol_x --opt_func --baseline_challenger_cb --cb_c_alpha
        --cb_c_tau --cb_dro --cb_dro_alpha --cb_dro_tau --cb_dro_wmax
        --cbify_cs --loss0 --loss1 --flip_loss_sign
        --cb_to_cbadf --epsilon_decay
        --model_count --min_scope --epsilon_decay_significance_level --epsilon_decay_audit --constant_epsilon
        --bonferroni_denominator --min_champ_examples --initial_epsilon --shift_model_bounds --challenger_epsilon
        --graph_feedback --action_cache_slack --multiplier --target_rate
        --experimental_igl --learn --exclude_eval --warm_cb --warm_cb_cs
        --warm_start --interaction --warm_start_update --interaction_update --corrupt_type_warm_start
        --corrupt_prob_warm_start --choices_lambda --lambda_scheme --overwrite_label --sim_bandit
    """: "decisions are --cb, --cb_adf, --cb_explore, --cb_explore_adf, --cbify, their rules --explore",
})  # fmt: skip


def _answers() -> dict[str, FlagSupport]:
    found = {name: FlagSupport(WORKS, "") for name in _WORK.split()}
    found |= {name: FlagSupport(WORKS, text) for name, text in _WORK_BUT.items()}
    found |= {name: FlagSupport(STANDS_FOR, text) for name, text in _STANDS_FOR.items()}
    found |= {name: FlagSupport(STANDS_FOR, f"give {ours}: {why}") for name, (ours, why) in NEAREST.items()}
    needless = NEEDLESS | NEAREST_COMMITTEE | HARMLESS
    found |= {name: FlagSupport(STANDS_FOR, f"leave it out: {why}") for name, why in needless.items()}
    return found | {name: FlagSupport(NOT_HERE, why) for name, why in _NOT_HERE.items()}


#: The entries by long name.
FLAGS = _answers()


def flag_support(name: str) -> FlagSupport | None:
    """The entry of a flag in any spelling (``-l0.5``, ``--learning-rate``); None if VW has no such flag."""
    if name.startswith("--"):
        return FLAGS.get("--" + name[2:].replace("-", "_"))
    return FLAGS.get(SHORT.get(name[:2], ""))
